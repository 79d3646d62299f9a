"""Stand-in until the cache is merged."""
import functools
import os
os.environ.setdefault("NUMBA_CACHE_DIR", "/tmp/fmgym-cache")
import numba
def njit(fn=None, **kw):
    if fn is None:
        return functools.partial(njit, **kw)
    return numba.njit(error_model="numpy", cache=True, nogil=True, **kw)(fn)
