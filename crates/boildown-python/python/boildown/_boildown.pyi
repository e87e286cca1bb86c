from typing import Any, Callable, Optional, final

__version__: str

class Error(Exception): ...
class NotInteresting(Error): ...
class UnknownName(Error): ...

@final
class Stop:
    def __new__(cls) -> Stop: ...
    def set(self) -> None: ...
    def is_set(self) -> bool: ...

@final
class Settings:
    def __new__(
        cls,
        jobs: int,
        errors_are_unresolved: bool,
        max_tests: Optional[int],
        max_time: Optional[float],
        on_event: Optional[Callable[[dict[str, Any]], object]],
        stop: Optional[Stop],
        cancel: Optional[Callable[[], object]],
    ) -> Settings: ...

@final
class ListSearch:
    def __new__(cls, length: int, algorithm: str, weights: Optional[list[int]]) -> ListSearch: ...
    def ask(self) -> Optional[list[int]]: ...
    def tell(self, verdict: object) -> None: ...
    @property
    def best(self) -> list[int]: ...

def minimize(
    items: list[Any],
    test: Callable[[Any], object],
    *,
    sequence: str,
    algorithm: str,
    weights: Optional[list[int]],
    settings: Settings,
) -> Any: ...
def reduce(
    data: bytes,
    test: Callable[[Any], object],
    *,
    is_text: bool,
    language: Optional[str],
    file_name: Optional[str],
    units: str,
    algorithm: Optional[str],
    schedule: Optional[str],
    settings: Settings,
) -> Any: ...
def isolate(
    good: bytes,
    bad: bytes,
    test: Callable[[Any], object],
    *,
    is_text: bool,
    language: Optional[str],
    file_name: Optional[str],
    units: str,
    settings: Settings,
) -> tuple[Any, Any]: ...
def algorithms() -> list[dict[str, str]]: ...
def languages() -> list[str]: ...
