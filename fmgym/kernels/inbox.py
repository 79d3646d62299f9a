"""Telling a seat what happened, and stopping the world for it. Scripted clubs are told nothing."""

from fmgym.jit import njit


@njit
def tell(w, club, kind, a, b, c):
    """Append an event to the inbox of the seat that runs ``club``, if one does.

    When the inbox is full the oldest event goes; ``lost_inbox`` counts them.
    """
    seat = w.clubs[club].seat
    if seat < 0 or w.seats[seat].settled != 0:
        return
    s = w.seats[seat]
    room = len(s.inbox)
    if s.n_inbox == room:
        for i in range(room - 1):
            s.inbox[i] = s.inbox[i + 1]
        s.n_inbox -= 1
        s.lost_inbox += 1
    e = s.inbox[s.n_inbox]
    e.kind = kind
    e.day = w.day
    e.a = a
    e.b = b
    e.c = c
    s.n_inbox += 1


@njit
def stop(w, club, kind):
    """Ask for a decision stop of ``kind`` at the end of this day for the seat that runs ``club``."""
    seat = w.clubs[club].seat
    if seat >= 0 and w.seats[seat].settled == 0:
        w.seats[seat].kinds |= 1 << kind
