import enum
import types
from collections.abc import Awaitable, Callable, Iterable, Iterator
from os import PathLike
from multiprocessing.context import BaseContext
from typing import Generic, Literal, NamedTuple, Optional, TypedDict, TypeVar, Union, overload

from typing_extensions import Unpack

from boildown._boildown import Error as Error
from boildown._boildown import NotInteresting as NotInteresting
from boildown._boildown import Stop as Stop
from boildown._boildown import UnknownName as UnknownName
from boildown._events import Event as Event

_T = TypeVar("_T")
_R = TypeVar("_R", covariant=True)
_Data = TypeVar("_Data", str, bytes)
_Input = TypeVar("_Input", contravariant=True)
_Name = Union[str, PathLike[str]]

class WorkerDied(Error): ...

class Verdict(enum.Enum):
    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"

_Answer = Union[bool, Verdict, str]
_Test = Callable[[_T], _Answer]
_AsyncTest = Callable[[_T], Union[_Answer, Awaitable[_Answer]]]

class _Options(TypedDict, total=False):
    jobs: int
    executor: str
    mp_context: Union[str, BaseContext, None]
    test_timeout: Optional[float]
    on_error: str
    max_tests: Optional[int]
    max_time: Optional[float]
    on_event: Optional[Callable[[Event], object]]
    trace: Optional[list[Event]]
    stop: Optional[Stop]

class _ListOptions(_Options, total=False):
    algorithm: Optional[str]
    sweep: bool

class _ReduceOptions(_Options, total=False):
    language: Optional[str]
    file_name: Optional[_Name]
    units: str
    algorithm: Optional[str]
    schedule: Optional[str]
    passes: Iterable[str]

class _IsolateOptions(_Options, total=False):
    language: Optional[str]
    file_name: Optional[_Name]
    units: str

class _Ended:
    finished: bool
    reason: Optional[Literal["tests", "time", "stop"]]
    tests: int
    runs: int

class ListResult(_Ended, list[_T]): ...
class TupleResult(_Ended, tuple[_T, ...]): ...
class TextResult(_Ended, str): ...
class BytesResult(_Ended, bytes): ...

class _Pair(NamedTuple, Generic[_Data]):
    passing: _Data
    failing: _Data

class Difference(_Ended, _Pair[_Data]): ...

class Events(Generic[_R], Iterator[Event]):
    def __next__(self) -> Event: ...
    def __enter__(self) -> Events[_R]: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[types.TracebackType],
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def result(self) -> _R: ...

class Search(Generic[_T]):
    def __init__(
        self,
        items: Iterable[_T],
        algorithm: Optional[str] = ...,
        weights: Union[list[int], Callable[[_T], int], None] = ...,
        sweep: bool = ...,
    ) -> None: ...
    def ask(self) -> Optional[list[_T]]: ...
    def ask_indices(self) -> Optional[list[int]]: ...
    def tell(self, verdict: _Answer) -> None: ...
    @property
    def best(self) -> list[_T]: ...
    @property
    def best_indices(self) -> list[int]: ...

class raises(Generic[_Input]):
    def __init__(
        self,
        function: Callable[[_Input], object],
        exception: Union[type[BaseException], tuple[type[BaseException], ...]] = ...,
        *,
        match: Optional[str] = ...,
    ) -> None: ...
    def __call__(self, candidate: _Input) -> bool: ...

class Command:
    words: list[str]
    def __init__(
        self,
        words: Iterable[_Name],
        *,
        exit: Union[int, Literal["nonzero"], None] = ...,
        stdout: Optional[str] = ...,
        stderr: Optional[str] = ...,
        file_name: str = ...,
        stdin: bool = ...,
        timeout: Optional[float] = ...,
    ) -> None: ...
    def __call__(self, candidate: Union[str, bytes, Iterable[object]]) -> Union[bool, Verdict]: ...

class Progress:
    first: Optional[int]
    best: Optional[int]
    tests: int
    has_ended: bool
    points: list[tuple[int, int]]
    def __call__(self, event: Event) -> None: ...

@overload
def minimize(
    items: str,
    test: _Test[str],
    *,
    weights: Union[list[int], Callable[[str], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> TextResult: ...
@overload
def minimize(
    items: bytes,
    test: _Test[bytes],
    *,
    weights: Union[list[int], Callable[[int], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> BytesResult: ...
@overload
def minimize(
    items: tuple[_T, ...],
    test: _Test[tuple[_T, ...]],
    *,
    weights: Union[list[int], Callable[[_T], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> TupleResult[_T]: ...
@overload
def minimize(
    items: Iterable[_T],
    test: _Test[list[_T]],
    *,
    weights: Union[list[int], Callable[[_T], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> ListResult[_T]: ...
@overload
def reduce(
    data: str, test: _Test[str], **options: Unpack[_ReduceOptions]
) -> TextResult: ...
@overload
def reduce(
    data: bytes, test: _Test[bytes], **options: Unpack[_ReduceOptions]
) -> BytesResult: ...
def isolate(
    good: _Data, bad: _Data, test: _Test[_Data], **options: Unpack[_IsolateOptions]
) -> Difference[_Data]: ...
@overload
def iter_minimize(
    items: str,
    test: _Test[str],
    *,
    weights: Union[list[int], Callable[[str], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> Events[TextResult]: ...
@overload
def iter_minimize(
    items: bytes,
    test: _Test[bytes],
    *,
    weights: Union[list[int], Callable[[int], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> Events[BytesResult]: ...
@overload
def iter_minimize(
    items: tuple[_T, ...],
    test: _Test[tuple[_T, ...]],
    *,
    weights: Union[list[int], Callable[[_T], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> Events[TupleResult[_T]]: ...
@overload
def iter_minimize(
    items: Iterable[_T],
    test: _Test[list[_T]],
    *,
    weights: Union[list[int], Callable[[_T], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> Events[ListResult[_T]]: ...
@overload
def iter_reduce(
    data: str, test: _Test[str], **options: Unpack[_ReduceOptions]
) -> Events[TextResult]: ...
@overload
def iter_reduce(
    data: bytes, test: _Test[bytes], **options: Unpack[_ReduceOptions]
) -> Events[BytesResult]: ...
def iter_isolate(
    good: _Data, bad: _Data, test: _Test[_Data], **options: Unpack[_IsolateOptions]
) -> Events[Difference[_Data]]: ...
@overload
async def minimize_async(
    items: str,
    test: _AsyncTest[str],
    *,
    weights: Union[list[int], Callable[[str], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> TextResult: ...
@overload
async def minimize_async(
    items: bytes,
    test: _AsyncTest[bytes],
    *,
    weights: Union[list[int], Callable[[int], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> BytesResult: ...
@overload
async def minimize_async(
    items: tuple[_T, ...],
    test: _AsyncTest[tuple[_T, ...]],
    *,
    weights: Union[list[int], Callable[[_T], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> TupleResult[_T]: ...
@overload
async def minimize_async(
    items: Iterable[_T],
    test: _AsyncTest[list[_T]],
    *,
    weights: Union[list[int], Callable[[_T], int], None] = ...,
    **options: Unpack[_ListOptions],
) -> ListResult[_T]: ...
@overload
async def reduce_async(
    data: str, test: _AsyncTest[str], **options: Unpack[_ReduceOptions]
) -> TextResult: ...
@overload
async def reduce_async(
    data: bytes, test: _AsyncTest[bytes], **options: Unpack[_ReduceOptions]
) -> BytesResult: ...
async def isolate_async(
    good: _Data, bad: _Data, test: _AsyncTest[_Data], **options: Unpack[_IsolateOptions]
) -> Difference[_Data]: ...
def algorithms(family: Optional[str] = ...) -> list[dict[str, str]]: ...
def languages() -> list[str]: ...

__version__: str
