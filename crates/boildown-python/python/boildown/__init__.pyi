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

T = TypeVar("T")
R = TypeVar("R", covariant=True)
Data = TypeVar("Data", str, bytes)
Name = Union[str, PathLike[str]]
Weights = Union[list[int], Callable[[Any], int]]

class WorkerDied(Error): ...

class Verdict(enum.Enum):
    INTERESTING = "interesting"
    UNINTERESTING = "uninteresting"
    UNRESOLVED = "unresolved"

Answer = Union[bool, Verdict, str]
Test = Callable[[T], Answer]
AsyncTest = Callable[[T], Union[Answer, Awaitable[Answer]]]

class Options(TypedDict, total=False):
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

class ListOptions(Options, total=False):
    algorithm: str
    weights: Optional[Weights]

class ReduceOptions(Options, total=False):
    language: Optional[str]
    file_name: Optional[Name]
    units: str
    algorithm: Optional[str]
    schedule: Optional[str]

class IsolateOptions(Options, total=False):
    language: Optional[str]
    file_name: Optional[Name]
    units: str

class Difference(NamedTuple):
    passing: Any
    failing: Any

class Events(Generic[R], Iterator[dict[str, Any]]):
    def __next__(self) -> dict[str, Any]: ...
    def __enter__(self) -> Events[R]: ...
    def __exit__(
        self,
        kind: Optional[type[BaseException]],
        error: Optional[BaseException],
        traceback: Optional[types.TracebackType],
    ) -> None: ...
    def close(self) -> None: ...
    @property
    def result(self) -> R: ...

class Search(Generic[T]):
    def __init__(
        self, items: Iterable[T], algorithm: str = ..., weights: Optional[Weights] = ...
    ) -> None: ...
    def ask(self) -> Optional[list[T]]: ...
    def ask_indices(self) -> Optional[list[int]]: ...
    def tell(self, verdict: Answer) -> None: ...
    @property
    def best(self) -> list[T]: ...
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
def minimize(items: str, test: Test[str], **options: Unpack[ListOptions]) -> str: ...
@overload
def minimize(items: bytes, test: Test[bytes], **options: Unpack[ListOptions]) -> bytes: ...
@overload
def minimize(
    items: tuple[T, ...], test: Test[tuple[T, ...]], **options: Unpack[ListOptions]
) -> tuple[T, ...]: ...
@overload
def minimize(items: Iterable[T], test: Test[list[T]], **options: Unpack[ListOptions]) -> list[T]: ...
def reduce(data: Data, test: Test[Data], **options: Unpack[ReduceOptions]) -> Data: ...
def isolate(
    good: Data, bad: Data, test: Test[Data], **options: Unpack[IsolateOptions]
) -> Difference: ...
def iter_minimize(
    items: Iterable[T], test: Test[Any], **options: Unpack[ListOptions]
) -> Events[Any]: ...
def iter_reduce(
    data: Data, test: Test[Data], **options: Unpack[ReduceOptions]
) -> Events[Data]: ...
def iter_isolate(
    good: Data, bad: Data, test: Test[Data], **options: Unpack[IsolateOptions]
) -> Events[Difference]: ...
async def minimize_async(
    items: Iterable[T], test: AsyncTest[Any], **options: Unpack[ListOptions]
) -> Any: ...
async def reduce_async(
    data: Data, test: AsyncTest[Data], **options: Unpack[ReduceOptions]
) -> Data: ...
async def isolate_async(
    good: Data, bad: Data, test: AsyncTest[Data], **options: Unpack[IsolateOptions]
) -> Difference: ...
def algorithms(family: Optional[str] = ...) -> list[dict[str, str]]: ...
def languages() -> list[str]: ...

__version__: str
