from typing import Optional, final

__version__: str

# A result, why the search ended early, and the numbers of tests and runs.
_Finished = tuple[object, Optional[str], int, int]

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
        on_event: Optional[object],
        stop: Optional[Stop],
        cancel: Optional[object],
    ) -> Settings: ...

@final
class ListSearch:
    def __new__(
        cls, length: int, algorithm: Optional[str], weights: Optional[list[int]], sweep: bool
    ) -> ListSearch: ...
    def ask(self) -> Optional[list[int]]: ...
    def tell(self, verdict: object) -> None: ...
    @property
    def best(self) -> list[int]: ...

def minimize(
    items: list[object],
    test: object,
    *,
    sequence: str,
    algorithm: Optional[str],
    weights: Optional[list[int]],
    sweep: bool,
    settings: Settings,
) -> _Finished: ...
def reduce(
    data: bytes,
    test: object,
    *,
    is_text: bool,
    language: Optional[str],
    file_name: Optional[str],
    units: str,
    algorithm: Optional[str],
    schedule: Optional[str],
    passes: list[str],
    settings: Settings,
) -> _Finished: ...
def isolate(
    good: bytes,
    bad: bytes,
    test: object,
    *,
    is_text: bool,
    language: Optional[str],
    file_name: Optional[str],
    units: str,
    settings: Settings,
) -> _Finished: ...
def algorithms() -> list[dict[str, str]]: ...
def languages() -> list[str]: ...
