"""Every code that state stores as an integer, under its name.

The kernels use these members directly (numba knows ``IntEnum``); views and texts use ``.name``.
Values are part of saved worlds and logs: add at the end, never renumber.
"""

from enum import IntEnum


class Position(IntEnum):
    """A player's position (world rules, section 3)."""

    GK = 0
    CB = 1
    FB = 2
    DM = 3
    CM = 4
    AM = 5
    W = 6
    ST = 7


class Group(IntEnum):
    """Line of the pitch a position belongs to; ageing and values go by group."""

    GK = 0
    DF = 1
    MF = 2
    FW = 3


class Status(IntEnum):
    """Where the player in a pool slot stands. Retired players leave their slot EMPTY."""

    EMPTY = 0
    SENIOR = 1
    ACADEMY = 2
    FREE = 3


class Formation(IntEnum):
    F442 = 0
    F433 = 1
    F352 = 2


class Style(IntEnum):
    """Playing styles. Each style beats the next one in this order, cyclically."""

    POSSESSION = 0
    COUNTER = 1
    PRESSING = 2
    DIRECT = 3
    DEFENSIVE = 4


class Tier(IntEnum):
    """Competence of a scripted manager (paper, Table 6)."""

    EASY = 0
    MEDIUM = 1
    HARD = 2


class Facility(IntEnum):
    ACADEMY = 0
    TRAINING = 1
    STADIUM = 2


class Ledger(IntEnum):
    """Category of a cash movement. A club's ledger sums to its cash."""

    OPENING = 0
    GATE = 1
    BROADCAST = 2
    SPONSORS = 3
    PRIZES = 4
    SALES = 5
    GRANTS = 6
    WAGES = 7
    FEES = 8
    SIGNING = 9
    FACILITIES = 10
    UPKEEP = 11
    SEVERANCE = 12
    OWNERS = 13


class Tool(IntEnum):
    """The 26 tools (paper, Table 10): 12 queries, 11 actions, 2 notebook tools, 1 control tool."""

    GET_CLUB_OVERVIEW = 0
    GET_SQUAD = 1
    GET_PLAYER = 2
    GET_LEAGUE_TABLE = 3
    GET_FIXTURES = 4
    GET_MATCH_REPORT = 5
    GET_TRANSFER_MARKET = 6
    GET_FINANCES = 7
    GET_YOUTH_ACADEMY = 8
    GET_HISTORY = 9
    GET_INBOX = 10
    GET_DRAFT_POOL = 11
    SET_LINEUP = 12
    SET_TACTICS = 13
    MAKE_TRANSFER_OFFER = 14
    RESPOND_TO_OFFER = 15
    OFFER_CONTRACT = 16
    LIST_PLAYER = 17
    RELEASE_PLAYER = 18
    PROMOTE_YOUTH = 19
    INVEST = 20
    SET_STANDING_ORDER = 21
    SUBMIT_DRAFT = 22
    APPEND_NOTE = 23
    REWRITE_NOTES = 24
    ADVANCE = 25


class Error(IntEnum):
    """Why a call was refused. Stable codes: agents and logs rely on them. OK is acceptance."""

    OK = 0
    UNKNOWN_TOOL = 1
    BAD_ARGUMENT = 2
    QUERY_BUDGET = 3
    NEGOTIATION_BUDGET = 4
    DRAFT_ONLY = 5
    NOT_IN_DRAFT = 6
    UNKNOWN_PLAYER = 7
    NOT_YOUR_PLAYER = 8
    OWN_PLAYER = 9
    WINDOW_CLOSED = 10
    CASH_SHORT = 11
    SQUAD_FULL = 12
    SQUAD_MINIMUM = 13
    COOLDOWN = 14
    UNKNOWN_OFFER = 15
    NO_COUNTER = 16
    NOT_FOR_SALE = 17
    NO_AGREEMENT = 18
    NOT_ACADEMY = 19
    MAX_LEVEL = 20
    BUILDING = 21
    UNKNOWN_MATCH = 22
    ORDER_EMPTY = 23
    OVER_BUDGET = 24
    UNKNOWN_TEMPLATE = 25
    NO_CHANGE = 26
    PLAYER_REFUSES = 27
    UNAVAILABLE = 28
    FINISHED = 29
    WAITING = 30
    UNKNOWN_ARGUMENT = 31
    MISSING_ARGUMENT = 32
    ARGUMENT_TYPE = 33
    ARGUMENT_VALUE = 34
    NOTEBOOK_FULL = 35
    UNREADABLE = 36


class Outcome(IntEnum):
    """What an accepted call led to."""

    DONE = 0
    ACCEPTED = 1
    REJECTED = 2
    COUNTERED = 3
    LODGED = 4
    TALKS_OFF = 5


class StopKind(IntEnum):
    """Why the world stopped (paper, Table 11). State keeps a bit mask of ``1 << kind``."""

    DRAFT = 0
    PRESEASON_BOARD = 1
    SUMMER_PLAN = 2
    SUMMER_DEADLINE = 3
    LINEUP_LOCK = 4
    MONTHLY_REPORT = 5
    WINTER_OPEN = 6
    MIDSEASON_REVIEW = 7
    WINTER_DEADLINE = 8
    SETTLEMENT = 9
    YOUTH_INTAKE = 10
    OFFER_BATCH = 11
    CONTRACT_EXPIRY = 12
    MAJOR_INJURY = 13
    BOARD_WARNING = 14
    INSOLVENCY_WARNING = 15
    ADMINISTRATION = 16
    REVIVAL = 17


class Inbox(IntEnum):
    """The 19 kinds of unsolicited event a seat is told of."""

    OFFER_RECEIVED = 0
    COUNTER_OFFER = 1
    OFFER_EXPIRED = 2
    TRANSFER_COMPLETED = 3
    BID_LOST = 4
    CONTRACT_EXPIRING = 5
    CONTRACT_EXPIRED = 6
    INJURY = 7
    RETIREMENT = 8
    FACILITY_COMPLETED = 9
    YOUTH_INTAKE = 10
    YOUTH_LAPSING = 11
    BOARD_TARGET = 12
    BOARD_WARNING = 13
    INSOLVENCY_WARNING = 14
    ADMINISTRATION = 15
    REVIVAL = 16
    SEASON_SETTLED = 17
    ORDER_EXECUTED = 18


class OfferKind(IntEnum):
    """What a seat's offer record is about."""

    BID_RECEIVED = 0  # a club bids for the seat's player; the seat answers
    BID_COUNTERED = 1  # the seat's bid was countered; the seat may accept the counter
    FEE_AGREED = 2  # the fee is agreed; the seat must agree terms with the player
    WAGE_COUNTERED = 3  # a player asks for this wage; the seat may accept the counter


class OfferState(IntEnum):
    NONE = 0
    HELD = 1  # waits for the next offer batch; not yet shown
    LIVE = 2


class Reply(IntEnum):
    """The seat's answers in ``respond_to_offer``."""

    ACCEPT = 0
    REJECT = 1
    COUNTER = 2
    ACCEPT_COUNTER = 3


class Loss(IntEnum):
    """Why a seat's deal came to nothing, in ``Inbox.BID_LOST``."""

    MOVED = 0  # he went elsewhere, or a higher bid won
    REFUSED = 1  # his club turned the bid down
    FAILED = 2  # it could not be carried out any more


class Deal(IntEnum):
    """What a seat has lodged in a sealed world, to be carried out when all seats have closed their stops."""

    SIGN = 0  # a player of another club, or of none, is to join the seat's
    SELL = 1  # a scripted club's bid is accepted
    BID = 2  # a bid for another seat's player, to be put to its owner
    AGREE = 3  # another seat's bid is accepted: the bidder may agree terms with the player
    COUNTER = 4  # another seat's bid is answered by a higher fee
    REFUSE = 5  # a bid is turned down


class Move(IntEnum):
    """How a player changed hands, in the archive of transfers."""

    TRANSFER = 0
    FREE = 1
    PROMOTED = 2
    EXPIRED = 3
    RELEASED = 4
    RETIRED = 5
    FORCED = 6
    INTAKE = 7
    LAPSED = 8


class Condition(IntEnum):
    """What a standing order watches."""

    OFFER_ABOVE_VALUE = 0  # a bid of at least threshold % of public value
    OFFER_BELOW_VALUE = 1  # a bid below threshold % of public value
    CONTRACT_MONTHS_BELOW = 2  # a senior's contract has fewer than threshold months left
    CONDITION_BELOW = 3  # a player of the eleven is below threshold % condition
    CASH_ABOVE = 4  # cash above threshold millions
    CONFIDENCE_BELOW = 5  # board confidence below threshold


class OrderAction(IntEnum):
    """The fixed action of a standing order."""

    ACCEPT_OFFER = 0
    REJECT_OFFER = 1
    RENEW_CONTRACT = 2
    AUTO_LINEUP = 3
    INVEST_ACADEMY = 4
    INVEST_TRAINING = 5
    INVEST_STADIUM = 6
    STYLE_DEFENSIVE = 7


class Settle(IntEnum):
    """How a seat's run stands or ended."""

    LIVE = 0
    COMPLETED = 1
    FIRED = 2
    INSOLVENT = 3
    ABANDONED = 4
    VACANT = 5  # nobody holds this seat: a scripted manager runs the club


class Domain(IntEnum):
    """Streams of chance. A new draw gets a new domain, so that it shifts no other."""

    POOL = 1
    TRAITS = 2
    NAMES = 3
    SCOUT_BIAS = 4
    SCOUT_NOISE = 5
    MATCH = 6
    MATCH_FORM = 7
    INJURY = 8
    DEVELOPMENT = 9
    MISPRICING = 10
    RESERVATION = 11
    MARKET = 12
    TIES = 13
    INTAKE = 14
    FIXTURES = 15
    MANAGER = 16
    RETIREMENT = 17
    TRAINING = 18
    EPISODES = 19
    POLICY = 20
    AUTO_DRAFT = 21


N_FORMATIONS = len(Formation)
N_STYLES = len(Style)
N_FACILITIES = len(Facility)
N_LEDGER = len(Ledger)
N_TOOLS = len(Tool)
N_POSITIONS = len(Position)
SCHEDULED_KINDS = tuple(range(StopKind.PRESEASON_BOARD, StopKind.YOUTH_INTAKE + 1))
EVENT_KINDS = (StopKind.DRAFT, *range(StopKind.OFFER_BATCH, StopKind.REVIVAL + 1))
