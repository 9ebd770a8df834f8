"""The questions to a router: a router of the test's own, and the real library at one on loopback."""

import http.server
import subprocess
import sys
import threading
import types
from collections.abc import Iterator
from typing import cast

import msgspec
import pytest

from seqp2p.net import igd
from seqp2p.net.igd import Answer, close_port, is_global_ipv4, open_port

OWN, OTHER = "192.168.1.5", "192.168.1.6"
WIDE = "9.46.10.1"


class Router:
    """A router with its ports in a table. A port of ``refusals`` is refused with that word."""

    lanaddr = OWN
    discoverdelay = 0

    def __init__(self, *, wide: str = WIDE, here: bool = True) -> None:
        self.wide = wide
        self.here = here
        self.ports: dict[int, tuple[str, int]] = {}
        self.refusals: dict[int, str] = {}

    def discover(self) -> int:
        if not self.here:
            raise Exception("Success")  # noqa: TRY002  # as the library says that none answers
        return 1

    def selectigd(self) -> str:
        return "http://192.168.1.1/control"

    def externalipaddress(self) -> str:
        return self.wide

    def getspecificportmapping(self, port: int, protocol: str) -> tuple[str, int, str, bool, int] | None:
        assert protocol == "TCP"
        return (*self.ports[port], "game", True, 600) if port in self.ports else None

    def addportmapping(
        self, external: int, protocol: str, host: str, port: int, label: str, remote: str, lease_s: int
    ) -> bool:
        assert (protocol, label, remote, lease_s) == ("TCP", "seqp2p", "", 600)
        if external in self.refusals:
            raise Exception(self.refusals[external])  # noqa: TRY002  # as the library does
        self.ports[external] = host, port
        return True

    def deleteportmapping(self, port: int, protocol: str) -> bool:
        assert protocol == "TCP"
        if port in self.refusals:
            raise Exception(self.refusals[port])  # noqa: TRY002  # as the library does
        del self.ports[port]
        return True


@pytest.mark.parametrize("host", ["0.0.0.0", OWN])
def test_a_port_is_opened_renewed_and_closed(host: str) -> None:
    router = Router()
    for _ in range(2):
        assert open_port(router, host, 4610, [4610, 50_000]) == Answer("", WIDE, 4610)
        assert router.ports == {4610: (OWN, 4610)}
    assert close_port(router, host, 4610, [4610, 50_000]) == Answer("")
    assert router.ports == {}


@pytest.mark.parametrize("owner", [(OTHER, 4610), (OWN, 4611)])
def test_the_port_of_another_program_is_left_alone(owner: tuple[str, int]) -> None:
    router = Router()
    router.ports[4610] = owner
    assert open_port(router, OWN, 4610, [4610]) == Answer("taken")
    assert close_port(router, OWN, 4610, [4610]) == Answer("")
    assert router.ports == {4610: owner}
    assert open_port(router, OWN, 4610, [4610, 50_000]) == Answer("", WIDE, 50_000)


def test_a_router_that_names_no_owner_says_that_a_port_is_taken() -> None:
    router = Router()
    router.refusals = {4610: "ConflictInMappingEntry", 50_000: "ConflictWithOtherMechanisms"}
    assert open_port(router, OWN, 4610, [4610, 50_000]) == Answer("taken")
    assert open_port(router, OWN, 4610, [4610, 50_000, 50_001]) == Answer("", WIDE, 50_001)


@pytest.mark.parametrize(
    ("word", "fault"), [("OnlyPermanentLeasesSupported", "permanent"), ("Action not authorized", "refused")]
)
def test_a_router_that_refuses_is_not_asked_for_more(word: str, fault: igd.Fault) -> None:
    router = Router()
    router.refusals[4610] = word
    assert open_port(router, OWN, 4610, [4610, 50_000]) == Answer(fault)
    assert router.ports == {}
    router.ports[4610] = OWN, 4610
    assert close_port(router, OWN, 4610, [4610]) == Answer("refused")


@pytest.mark.parametrize("wide", ["192.168.0.2", "10.0.0.1", "100.64.3.4", "127.0.0.1", "169.254.1.1", "224.0.0.1"])
def test_behind_a_second_router_nothing_is_opened(wide: str) -> None:
    assert open_port(router := Router(wide=wide), OWN, 4610, [4610]) == Answer("not_global", wide)
    assert router.ports == {}


@pytest.mark.parametrize("wide", ["", "router.example", "9.46.10.1:80", "9.46.10", "009.46.10.1", "2a0e::1", "9" * 500])
def test_an_address_that_is_none(wide: str) -> None:
    assert not is_global_ipv4(wide)
    assert open_port(router := Router(wide=wide), OWN, 4610, [4610]) == Answer("no_address")
    assert router.ports == {}


def test_no_router_and_another_network() -> None:
    for ask in (open_port, close_port):
        assert ask(Router(here=False), OWN, 4610, [4610]) == Answer("no_router")
        assert ask(Router(), "10.9.0.1", 4610, [4610]) == Answer("elsewhere")


@pytest.mark.parametrize("missing", [False, True])
def test_the_process_writes_the_answer(
    monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes], missing: bool
) -> None:
    library = None if missing else types.SimpleNamespace(UPnP=Router)
    monkeypatch.setitem(sys.modules, "miniupnpc", library)
    igd.main(["open", "0.0.0.0", "4610", "4610", "50000"])
    answer = msgspec.json.decode(capfdbinary.readouterr().out, type=Answer)
    assert answer == (Answer("no_library") if missing else Answer("", WIDE, 4610))


@pytest.mark.process
def test_the_process_ends_by_itself() -> None:
    program = "import time; from seqp2p.net import igd; igd.LIMIT_S = 0.1; igd.end_in_time(); time.sleep(600)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 1


# The real library.

SERVICE = "urn:schemas-upnp-org:service:WANIPConnection:1"
DESCRIPTION = f"""<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0"><device>
<deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType>
<deviceList><device><deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType>
<serviceList><service>
<serviceType>urn:schemas-upnp-org:service:WANCommonInterfaceConfig:1</serviceType>
<controlURL>/common</controlURL>
</service></serviceList>
<deviceList><device><deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType>
<serviceList><service><serviceType>{SERVICE}</serviceType><controlURL>/control</controlURL></service></serviceList>
</device></deviceList></device></deviceList></device></root>"""


class Page(http.server.BaseHTTPRequestHandler):
    """The pages of a router; ``wide`` is what it says of its own address, ``error`` what it answers to a wish."""

    wide = WIDE
    error = 0
    url = ""
    asked: list[str]

    def do_GET(self) -> None:
        self._send(200, DESCRIPTION)

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers["Content-Length"]))
        action = self.headers["SOAPAction"].strip('"').rpartition("#")[2]
        self.asked.append(action)
        if action == "GetExternalIPAddress":
            self._answer(action, f"<NewExternalIPAddress>{self.wide}</NewExternalIPAddress>")
        elif action == "GetSpecificPortMappingEntry" or self.error:
            self._send(500, f"<s:Envelope><s:Body><errorCode>{self.error or 714}</errorCode></s:Body></s:Envelope>")
        else:
            self._answer(action, "")

    def _answer(self, action: str, content: str) -> None:
        body = f'<u:{action}Response xmlns:u="{SERVICE}">{content}</u:{action}Response>'
        self._send(200, f'<?xml version="1.0"?><s:Envelope><s:Body>{body}</s:Body></s:Envelope>')

    def _send(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", "text/xml")
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


class Known:
    """The real library at a router whose page is known: nothing is searched for on the network."""

    def __init__(self, url: str) -> None:
        self._upnp = pytest.importorskip("miniupnpc").UPnP()
        self._url = url

    def discover(self) -> int:
        return 1

    def selectigd(self) -> str:
        return str(self._upnp.selectigd(self._url))

    def __getattr__(self, name: str) -> object:
        return getattr(self._upnp, name)


@pytest.fixture
def page() -> Iterator[type[Page]]:
    class Own(Page):
        asked: list[str] = []  # noqa: RUF012  # one router for a test

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Own) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        Own.url = f"http://127.0.0.1:{server.server_port}/root.xml"
        yield Own
        server.shutdown()
        thread.join()


def known(page: type[Page]) -> igd.Router:
    return cast(igd.Router, Known(page.url))


def test_the_library_at_a_router(page: type[Page]) -> None:
    assert open_port(known(page), "0.0.0.0", 4610, [4610]) == Answer("", WIDE, 4610)
    assert page.asked[-1] == "AddPortMapping"
    assert close_port(known(page), "0.0.0.0", 4610, [4610]) == Answer("")
    assert "DeletePortMapping" not in page.asked  # it does not say that the port is this program's


@pytest.mark.parametrize(("error", "fault"), [(718, "taken"), (725, "permanent"), (606, "refused"), (501, "refused")])
def test_the_library_has_words_for_errors(page: type[Page], error: int, fault: igd.Fault) -> None:
    page.error = error
    assert open_port(known(page), "0.0.0.0", 4610, [4610]) == Answer(fault)


@pytest.mark.parametrize("wide", ["", "x" * 100_000, "9.46.10.1 ", "&#57;.46.10.1", "\x1b[2J", "<b>9.46.10.1</b>"])
def test_the_library_at_a_hostile_router(page: type[Page], wide: str) -> None:
    page.wide = wide
    assert open_port(known(page), "0.0.0.0", 4610, [4610]) == Answer("no_address")
    assert "AddPortMapping" not in page.asked
