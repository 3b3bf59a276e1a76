"""The Python client of the sekisho server: ask whether a call may run, answer questions, read, and follow events."""

from ._generated import types
from ._generated.routes import ROUTES
from ._generated.types import AnswerBody as Answer
from ._generated.types import CanUseTool as Call
from ._generated.types import OwnQuestion, Permission, Question, SeenQuestion
from ._http import CLIENT_DEFAULT
from .backoff import Backoff
from .client import AsyncSekisho, Sekisho, is_question, is_whole
from .denial import Decision, LocalDenial
from .errors import SekishoError
from .events import AsyncEventClient, Connection, EventClient, SekishoEvent
from .run_events import PipelineEvent, RunEvent
from .sse import ServerSentEvent, SseParser

__all__ = [
    "CLIENT_DEFAULT",
    "ROUTES",
    "Answer",
    "AsyncEventClient",
    "AsyncSekisho",
    "Backoff",
    "Call",
    "Connection",
    "Decision",
    "EventClient",
    "LocalDenial",
    "OwnQuestion",
    "Permission",
    "PipelineEvent",
    "Question",
    "RunEvent",
    "SeenQuestion",
    "Sekisho",
    "SekishoError",
    "SekishoEvent",
    "ServerSentEvent",
    "SseParser",
    "is_question",
    "is_whole",
    "types",
]
