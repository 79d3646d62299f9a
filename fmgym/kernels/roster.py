"""Who belongs where: squads, academies, the free list and the archive of moves.

A player is SENIOR in one squad, ACADEMY in one academy, FREE on the free list, or his slot is EMPTY.
Only this module changes those lists, so they can never disagree with ``players``.
"""

from fmgym.enums import Status
from fmgym.jit import njit


@njit
def slot_of(w, uid):
    """The slot of a living player, or -1."""
    if uid <= 0:
        return -1
    slot = (uid - 1) % len(w.players)
    pl = w.players[slot]
    return slot if pl.uid == uid and pl.status != Status.EMPTY else -1


@njit
def seen(w, club, slot):
    """A player's record as a club may know it.

    While a sealed world's clock stands, what seats do to their own players is not yet known to others.
    """
    if w.frozen == 1 and w.players[slot].club != club and w.board[slot].club != club:
        return w.board[slot]
    return w.players[slot]


@njit
def take_slot(w):
    """An empty slot with a fresh uid, or -1 when the pool is full."""
    pool = len(w.players)
    for slot in range(pool):
        pl = w.players[slot]
        if pl.status == Status.EMPTY:
            pl.uid = slot + 1 if pl.uid == 0 else pl.uid + pool
            w.n_seen += 1
            return slot
    return -1


@njit
def _drop(items, n, slot):
    """Remove ``slot`` from the first ``n`` of ``items``, keeping order."""
    for i in range(n):
        if items[i] == slot:
            for j in range(i, n - 1):
                items[j] = items[j + 1]
            items[n - 1] = -1
            return
    return


@njit
def _leave(w, slot):
    """Take a player off the list he is on."""
    pl = w.players[slot]
    if pl.status == Status.SENIOR:
        c = w.clubs[pl.club]
        _drop(c.squad, c.n_squad, slot)
        c.n_squad -= 1
        c.wage_bill -= pl.wage
    elif pl.status == Status.ACADEMY:
        c = w.clubs[pl.club]
        _drop(c.academy, c.n_academy, slot)
        c.n_academy -= 1
    elif pl.status == Status.FREE:
        _drop(w.free, w.n_free, slot)
        w.n_free -= 1
    pl.listed = 0
    pl.first_choice = 0


@njit
def make_senior(w, slot, club, wage, contract_end, fee):
    """Put a player into a senior squad on a contract. The caller has checked that there is room."""
    _leave(w, slot)
    pl = w.players[slot]
    if pl.club != club:
        pl.joined = w.day
        pl.fee_paid = fee
    pl.status = Status.SENIOR.value
    pl.club = club
    pl.wage = wage
    pl.contract_end = contract_end
    c = w.clubs[club]
    c.squad[c.n_squad] = slot
    c.n_squad += 1
    c.wage_bill += wage


@njit
def set_wage(w, slot, wage, contract_end):
    """A new contract with the same club."""
    pl = w.players[slot]
    w.clubs[pl.club].wage_bill += wage - pl.wage
    pl.wage = wage
    pl.contract_end = contract_end


@njit
def make_prospect(w, slot, club, until):
    """Put a player into an academy until the day ``until``."""
    _leave(w, slot)
    pl = w.players[slot]
    pl.status = Status.ACADEMY.value
    pl.club = club
    pl.joined = w.day
    pl.wage = 0
    pl.contract_end = until
    pl.academy_until = until
    c = w.clubs[club]
    c.academy[c.n_academy] = slot
    c.n_academy += 1


@njit
def make_free(w, slot):
    """Put a player on the free list."""
    _leave(w, slot)
    pl = w.players[slot]
    pl.status = Status.FREE.value
    pl.club = -1
    pl.wage = 0
    pl.contract_end = 0
    pl.joined = w.day
    w.free[w.n_free] = slot
    w.n_free += 1


@njit
def retire(w, slot):
    """Empty a player's slot. His uid stays in it, so that the next holder gets another one."""
    _leave(w, slot)
    pl = w.players[slot]
    pl.status = Status.EMPTY.value
    pl.club = -1


@njit
def archive(w, slot, kind, source, target, fee):
    """Note a move in the archive of the run; the oldest goes when it is full."""
    m = w.moves[w.n_moves % len(w.moves)]
    pl = w.players[slot]
    m.day = w.day
    m.uid = pl.uid
    m.kind = kind
    m.source = source
    m.target = target
    m.fee = fee
    m.wage = pl.wage
    m.years = (pl.contract_end - w.day) // 360 + 1 if pl.contract_end > w.day else 0
    w.n_moves += 1
