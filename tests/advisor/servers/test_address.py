import pytest

from advisor.core.errors import UsageError
from advisor.servers.address import read_address


@pytest.mark.parametrize(
    ("typed", "root"),
    [
        ("localhost:8000", "http://localhost:8000"),
        ("http://localhost:8000/", "http://localhost:8000"),
        ("http://localhost:8000/v1", "http://localhost:8000"),
        ("http://localhost:8000/v1/", "http://localhost:8000"),
        ("http://localhost:8000/v1/chat/completions", "http://localhost:8000"),
        ("http://localhost:8000/v1/completions/", "http://localhost:8000"),
        ("http://localhost:1234/api/v0/models", "http://localhost:1234"),
        ("https://box.example/llm/v1", "https://box.example/llm"),
        ("[::1]:8000", "http://[::1]:8000"),
        ("http://0.0.0.0:8000", "http://127.0.0.1:8000"),  # as vLLM and llama-server print it
        ("[::]:8080/v1", "http://[::1]:8080"),
        ("  192.168.0.4 ", "http://192.168.0.4"),
        ("http://box.example/v1?token=secret#x", "http://box.example"),
    ],
)
def test_addresses_are_read_as_people_type_them(typed: str, root: str) -> None:
    address = read_address(typed)
    assert (address.root, address.api) == (root, f"{root}/v1")


@pytest.mark.parametrize("typed", ["", "http://", "ftp://box", "http://box:port", "http://box:99999", "http://a b", "http://[::1"])
def test_what_is_no_address_is_wrong_usage(typed: str) -> None:
    with pytest.raises(UsageError):
        read_address(typed)


def test_a_password_in_the_address_is_refused_and_not_repeated() -> None:
    with pytest.raises(UsageError) as caught:
        read_address("http://me:hunter2@box.example/v1")
    assert "hunter2" not in str(caught.value)


@pytest.mark.parametrize(
    ("typed", "loopback"),
    [
        ("localhost:1", True), ("127.0.0.2:1", True), ("[::1]", True), ("0.0.0.0:1", True), ("192.168.0.4", False),
        ("localhost.co", False),
    ],
)
def test_this_machine_is_known(typed: str, loopback: bool) -> None:
    assert read_address(typed).loopback is loopback
