import enum
import types
from collections.abc import Awaitable, Callable, Iterable, Iterator
from os import PathLike
from multiprocessing.context import BaseContext
from typing import Any, Generic, NamedTuple, Optional, TypedDict, TypeVar, Union, overload

from typing_extensions import Unpack

from boildown._boildown import Error as Error
from boildown._boildown import NotInteresting as NotInteresting
from boildown._boildown import Stop as Stop
from boildown._boildown import UnknownName as UnknownName

_T = TypeVar("_T")
_R = TypeVar("_R", covariant=True)
_Data = TypeVar("_Data", str, bytes)
_Name = Union[str, PathLike[str]]
_Weights = Union[list[int], Callable[[Any], int]]

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
    on_event: Optional[Callable[[dict[str, Any]], object]]
    trace: Optional[list[dict[str, Any]]]
    stop: Optional[Stop]

class _ListOptions(_Options, total=False):
    algorithm: str
    weights: Optional[_Weights]

class _ReduceOptions(_Options, total=False):
    language: Optional[str]
    file_name: Optional[_Name]
    units: str
    algorithm: Optional[str]
    schedule: Optional[str]

class _IsolateOptions(_Options, total=False):
    language: Optional[str]
    file_name: Optional[_Name]
    units: str

class Difference(NamedTuple):
    passing: Any
    failing: Any

class Events(Generic[_R], Iterator[dict[str, Any]]):
    def __next__(self) -> dict[str, Any]: ...
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
        self, items: Iterable[_T], algorithm: str = ..., weights: Optional[_Weights] = ...
    ) -> None: ...
    def ask(self) -> Optional[list[_T]]: ...
    def ask_indices(self) -> Optional[list[int]]: ...
    def tell(self, verdict: _Answer) -> None: ...
    @property
    def best(self) -> list[_T]: ...
    @property
    def best_indices(self) -> list[int]: ...

class raises:
    def __init__(
        self,
        function: Callable[[Any], object],
        exception: Union[type[BaseException], tuple[type[BaseException], ...]] = ...,
        *,
        match: Optional[str] = ...,
    ) -> None: ...
    def __call__(self, candidate: Any) -> bool: ...

@overload
def minimize(items: str, test: _Test[str], **options: Unpack[_ListOptions]) -> str: ...
@overload
def minimize(items: bytes, test: _Test[bytes], **options: Unpack[_ListOptions]) -> bytes: ...
@overload
def minimize(
    items: tuple[_T, ...], test: _Test[tuple[_T, ...]], **options: Unpack[_ListOptions]
) -> tuple[_T, ...]: ...
@overload
def minimize(items: Iterable[_T], test: _Test[list[_T]], **options: Unpack[_ListOptions]) -> list[_T]: ...
def reduce(data: _Data, test: _Test[_Data], **options: Unpack[_ReduceOptions]) -> _Data: ...
def isolate(
    good: _Data, bad: _Data, test: _Test[_Data], **options: Unpack[_IsolateOptions]
) -> Difference: ...
def iter_minimize(
    items: Iterable[_T], test: _Test[Any], **options: Unpack[_ListOptions]
) -> Events[Any]: ...
def iter_reduce(
    data: _Data, test: _Test[_Data], **options: Unpack[_ReduceOptions]
) -> Events[_Data]: ...
def iter_isolate(
    good: _Data, bad: _Data, test: _Test[_Data], **options: Unpack[_IsolateOptions]
) -> Events[Difference]: ...
async def minimize_async(
    items: Iterable[_T], test: _AsyncTest[Any], **options: Unpack[_ListOptions]
) -> Any: ...
async def reduce_async(
    data: _Data, test: _AsyncTest[_Data], **options: Unpack[_ReduceOptions]
) -> _Data: ...
async def isolate_async(
    good: _Data, bad: _Data, test: _AsyncTest[_Data], **options: Unpack[_IsolateOptions]
) -> Difference: ...
def algorithms(family: Optional[str] = ...) -> list[dict[str, str]]: ...
def languages() -> list[str]: ...

__version__: str
