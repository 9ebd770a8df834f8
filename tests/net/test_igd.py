"""The questions to a router, and false devices: each is a server of pages at an address of loopback."""

import http.server
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any, ClassVar

import msgspec
import pytest

from seqp2p.net import igd
from tests.each import for_each

OWN, OTHER = "127.0.0.1", "192.168.1.6"
WIDE = "9.46.10.1"
SERVICE = "urn:schemas-upnp-org:service:WANIPConnection:1"
DESCRIPTION = f"""<?xml version="1.0"?>
<root xmlns="urn:schemas-upnp-org:device-1-0">%s<device>
<deviceType>urn:schemas-upnp-org:device:InternetGatewayDevice:1</deviceType>
<deviceList><device><deviceType>urn:schemas-upnp-org:device:WANDevice:1</deviceType>
<serviceList><service>
<serviceType>urn:schemas-upnp-org:service:WANCommonInterfaceConfig:1</serviceType>
<controlURL>/common</controlURL>
</service></serviceList>
<deviceList><device><deviceType>urn:schemas-upnp-org:device:WANConnectionDevice:1</deviceType>
<serviceList><service><serviceType>{SERVICE}</serviceType><controlURL>%s</controlURL></service></serviceList>
</device></deviceList></device></deviceList></device></root>"""
Command = Callable[..., igd.PortAnswer]
ANSWER = b"HTTP/1.1 200 OK\r\nST: urn:schemas-upnp-org:device:InternetGatewayDevice:1\r\nLOCATION: %s\r\n\r\n"


class Page(http.server.BaseHTTPRequestHandler):
    """The pages of a router. ``wide`` is its own address as it says it; ``refusals`` has errors for ports."""

    base, control = "", "/control?a=1&amp;b=2"
    wide: str | None = WIDE
    ports: ClassVar[dict[str, tuple[str, str]]]
    refusals: ClassVar[dict[int, int]]
    asked: ClassVar[list[str]]
    place = igd.WebPage("", 0, "")

    def do_GET(self) -> None:
        self.asked.append(self.path)
        self.send(200, DESCRIPTION % (self.base, self.control))

    def do_POST(self) -> None:
        text = self.rfile.read(int(self.headers["Content-Length"])).decode()
        values = dict(re.findall(r"<(\w+)>([^<]*)</", text))
        action = self.headers["SOAPAction"].strip('"').rpartition("#")[2]
        port = values.get("NewExternalPort", "0")
        self.asked.append(action)
        assert self.path == "/control?a=1&b=2"
        if action == "GetExternalIPAddress":
            self.answer(action, f'<NewExternalIPAddress dt="string">{self.wide}</NewExternalIPAddress>')
        elif action == "GetSpecificPortMappingEntry":
            if port not in self.ports:
                self.fail(714)
                return
            host, inside = self.ports[port]
            self.answer(
                action, f"<NewInternalPort>{inside}</NewInternalPort><NewInternalClient>{host}</NewInternalClient>"
            )
        elif int(port) in self.refusals:
            self.fail(self.refusals[int(port)])
        elif action == "AddPortMapping":
            assert (values["NewProtocol"], values["NewRemoteHost"]) == ("TCP", "")
            assert (values["NewPortMappingDescription"], values["NewLeaseDuration"]) == ("seqp2p", "600")
            self.ports[port] = values["NewInternalClient"], values["NewInternalPort"]
            self.answer(action, "")
        else:
            assert action == "DeletePortMapping"
            del self.ports[port]
            self.answer(action, "")

    def fail(self, number: int) -> None:
        self.send(500, f"<s:Envelope><s:Body><errorCode>{number}</errorCode></s:Body></s:Envelope>")

    def answer(self, action: str, content: str) -> None:
        body = f'<u:{action}Response xmlns:u="{SERVICE}">{content}</u:{action}Response>'
        self.send(200, f'<?xml version="1.0"?><s:Envelope><s:Body>{body}</s:Body></s:Envelope>')

    def send(self, status: int, text: str) -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(text.encode())))
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        pass


@contextmanager
def serving(page: type[Page], host: str = OWN) -> Iterator[type[Page]]:
    class Own(page):  # type: ignore[misc, valid-type]  # one router for a test
        ports: ClassVar[dict[str, tuple[str, str]]] = {}
        refusals: ClassVar[dict[int, int]] = {}
        asked: ClassVar[list[str]] = []

    with http.server.ThreadingHTTPServer((host, 0), Own) as server:
        server.daemon_threads, server.block_on_close = True, False
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
        thread.start()
        Own.place = igd.WebPage(host, server.server_port, "/root.xml")
        try:
            yield Own
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def page() -> Iterator[type[Page]]:
    with serving(Page) as made:
        yield made


def router(page: type[Page]) -> igd.Router:
    (found,) = igd.routers_at(page.place)
    return found


def test_a_port_is_opened_renewed_and_closed(page: type[Page]) -> None:
    for _ in range(2):
        assert igd.open_port(router(page), 4610, [4610, 50_000]) == igd.PortAnswer("", WIDE, 4610)
        assert page.ports == {"4610": (OWN, "4610")}
    assert igd.close_port(router(page), 4610, [4610, 50_000]) == igd.PortAnswer("")
    assert page.ports == {}


@pytest.mark.parametrize("owner", [(OTHER, "4610"), (OWN, "4611")])
def test_the_port_of_another_program_is_left_alone(page: type[Page], owner: tuple[str, str]) -> None:
    page.ports["4610"] = owner
    assert igd.open_port(router(page), 4610, [4610]) == igd.PortAnswer("taken")
    assert igd.close_port(router(page), 4610, [4610]) == igd.PortAnswer("")
    assert page.ports == {"4610": owner}
    assert igd.open_port(router(page), 4610, [4610, 50_000]) == igd.PortAnswer("", WIDE, 50_000)


def test_a_router_that_names_no_owner_says_that_a_port_is_taken(page: type[Page]) -> None:
    page.refusals.update({4610: 718, 50_000: 729})
    assert igd.open_port(router(page), 4610, [4610, 50_000]) == igd.PortAnswer("taken")
    assert igd.open_port(router(page), 4610, [4610, 50_000, 50_001]) == igd.PortAnswer("", WIDE, 50_001)


@pytest.mark.parametrize(("error", "fault"), [(725, "permanent"), (606, "refused"), (501, "refused")])
def test_a_router_that_refuses_is_not_asked_for_more(page: type[Page], error: int, fault: igd.Fault) -> None:
    page.refusals[4610] = error
    assert igd.open_port(router(page), 4610, [4610, 50_000]) == igd.PortAnswer(fault)
    assert page.ports == {}
    page.ports["4610"] = OWN, "4610"
    assert igd.close_port(router(page), 4610, [4610]) == igd.PortAnswer("refused")


SECOND_ROUTERS = ["192.168.0.2", "10.0.0.1", "100.64.3.4", "127.0.0.1", "169.254.1.1", "224.0.0.1"]
NO_ADDRESSES = ["", "router.example", "9.46.10.1:80", "9.46.10", "009.46.10.1", "2a0e::1", "9" * 500]
HOSTILE = ["x" * 100_000, "9.46.10.1 ", "&#57;.46.10.1", "\x1b[2J", "<b>9.46.10.1</b>"]


@for_each([*SECOND_ROUTERS, *NO_ADDRESSES, *HOSTILE])
def test_nothing_is_opened_where_the_router_has_no_global_address(wide: str) -> None:
    assert not igd.is_global_ipv4(wide)
    with serving(Page) as page:
        page.wide = wide
        expected = igd.PortAnswer("not_global", wide) if wide in SECOND_ROUTERS else igd.PortAnswer("no_address")
        assert igd.open_port(router(page), 4610, [4610]) == expected
        assert "AddPortMapping" not in page.asked


def test_an_old_router_names_the_base_of_its_pages(page: type[Page]) -> None:
    page.base = "<URLBase>http://{}:{}/</URLBase>".format(*page.place[:2])
    assert igd.open_port(router(page), 4610, [4610]) == igd.PortAnswer("", WIDE, 4610)


@pytest.mark.parametrize(
    "control",
    [
        *("http://127.0.0.2:631/", "http://localhost/", "//127.0.0.2/x", "https://127.0.0.1/", "http://127.0.0.1:x/"),
        *("http://[/", "http://127.0.0.1@127.0.0.2/", ""),
    ],
)
def test_a_device_that_sends_on_to_another_is_no_router(page: type[Page], control: str) -> None:
    page.control = control
    assert igd.routers_at(page.place) == []
    page.base, page.control = "<URLBase>http://127.0.0.2/</URLBase>", "/control"
    assert igd.routers_at(page.place) == []


def false_device(said: bytes, again: bytes = b"", pause_s: float = 0.0) -> type[Page]:
    """A device that says this once, and then ``again`` without end."""

    class Device(Page):
        def do_GET(self) -> None:
            self.asked.append("GET")
            self.close_connection = True
            with suppress(OSError):
                self.wfile.write(said)
                while again:
                    self.wfile.write(again)
                    time.sleep(pause_s)

    return Device


FALSE_DEVICES = {
    "endless": false_device(b"HTTP/1.1 200 OK\r\n\r\n", b"<service>" * 1_000),
    "endless headers": false_device(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    "slow, but with no long wait for a byte": false_device(b"HTTP/1.1 200 OK\r\n\r\n", b" ", 0.02),
    "nothing": false_device(b""),
    "garbage": false_device(b"\0\xff" * 1_000),
    "elsewhere, even if it is itself": false_device(
        b"HTTP/1.1 302 Found\r\nLocation: /root.xml\r\n\r\n" + (DESCRIPTION % ("", "/control")).encode()
    ),
}


@pytest.mark.parametrize("device", FALSE_DEVICES.values(), ids=FALSE_DEVICES)
def test_a_false_device_is_no_router(monkeypatch: pytest.MonkeyPatch, device: type[Page]) -> None:
    monkeypatch.setattr(igd, "REQUEST_S", 0.2)
    with serving(device) as page:
        assert igd.routers_at(page.place) == []
        assert page.asked == ["GET"]


NEAR = "192.168.46.1"


@pytest.fixture
def near(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(igd, "is_near", lambda host: host.startswith(("192.168.46.", "127.")))


def test_a_router_names_itself(near: None) -> None:
    location = f"http://{NEAR}:49152/root.xml?a=1".encode()
    page = igd.WebPage(NEAR, 49152, "/root.xml?a=1")
    assert igd.page_in(ANSWER % location, NEAR) == page
    assert igd.page_in(ANSWER.lower() % location, NEAR) is None  # an unknown kind of device
    assert igd.page_in(ANSWER.replace(b"LOCATION: ", b"location:") % location, NEAR) == page
    assert igd.page_in(ANSWER % b"http://192.168.46.1", NEAR) == igd.WebPage(NEAR, 80, "/")


@pytest.mark.parametrize(
    "location",
    [
        *("http://127.0.0.1:631/", "http://192.168.46.9/", "http://printer/", f"https://{NEAR}/"),
        *(f"http://{NEAR}@127.0.0.1/", f"http://{NEAR}:99999/", f"http://{NEAR}:x/", "http://[::1]/", "http://[/"),
        *(f"ftp://{NEAR}/\r\nX: http://{NEAR}/", ""),
    ],
)
def test_another_place_is_not_asked(near: None, location: str) -> None:
    assert igd.page_in(ANSWER % location.encode(), NEAR) is None


@pytest.mark.parametrize("source", ["127.0.0.1", "9.46.10.1"])
def test_a_device_that_is_not_near_is_not_asked(near: None, source: str) -> None:
    assert igd.page_in(ANSWER % f"http://{source}:631/".encode(), source) is None


@pytest.fixture
def network(monkeypatch: pytest.MonkeyPatch, near: None) -> Iterator[Callable[[list[tuple[str, bytes]]], None]]:
    """Return a function that answers a search from these addresses; loopback is the network."""
    monkeypatch.setattr(igd, "is_loopback", lambda _: False)
    monkeypatch.setattr(igd, "local_hosts", lambda: [OWN, "::1", "fd00::1"])
    monkeypatch.setattr(igd, "SEARCH_S", 0.3)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as group:
        group.bind((OWN, 0))
        monkeypatch.setattr(igd, "_GROUP", group.getsockname())

        def answer(answers: list[tuple[str, bytes]]) -> None:
            searching = {group.recvfrom(1_000) for _ in igd._KINDS}
            (where,) = {source for _, source in searching}
            for host, text in answers:
                with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
                    device.bind((host, 0))
                    device.sendto(text, where)

        yield lambda answers: threading.Thread(target=answer, args=(answers,)).start()


on_linux = pytest.mark.skipif(sys.platform != "linux", reason="other systems have one address of loopback")


@on_linux
def test_the_router_is_found_behind_false_ones(network: Any) -> None:
    false_device = serving(FALSE_DEVICES["nothing"], "127.0.0.2")
    with false_device as false, serving(Page, "127.0.0.3") as inner, serving(Page, "127.0.0.4") as page:
        inner.wide = "192.168.0.2"
        places = [made.place for made in (false, inner, page)]
        devices = [(place.host, ANSWER % "http://{}:{}{}".format(*place).encode()) for place in places]
        network([("127.0.0.2", b"\0" * 2_000), *devices])
        found = igd.find_router("0.0.0.0")
        assert found is not None
        assert (found.page.host, found.wide, found.own) == ("127.0.0.4", WIDE, OWN)
        assert inner.asked == page.asked == ["/root.xml", "GetExternalIPAddress"]
        network(devices[:2])
        found = igd.find_router(OWN)
        assert found is not None
        assert found.page.host == "127.0.0.3"


@on_linux
def test_few_devices_are_asked_and_each_once(monkeypatch: pytest.MonkeyPatch, network: Any) -> None:
    asked = list[igd.WebPage]()

    def note(page: igd.WebPage) -> list[igd.Router]:
        asked.append(page)
        return []

    monkeypatch.setattr(igd, "routers_at", note)
    answers = [(f"127.0.0.{host}", b"http://127.0.0.%d:%d/" % (host, port)) for port in (1, 2) for host in range(1, 9)]
    network([(host, ANSWER % location) for host, location in answers])
    assert igd.find_router("0.0.0.0") is None
    # 127.0.0.1 is this machine.
    assert asked == [igd.WebPage(f"127.0.0.{host}", 1, "/") for host in (2, 3, 4, 5)]
    network([])
    assert igd.find_router("0.0.0.0") is None


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Return a function that runs the command of the process, with this router found."""

    def run(found: igd.Router | None, *arguments: str) -> igd.PortAnswer:
        monkeypatch.setattr(igd, "find_router", lambda _: found)
        igd.main(arguments)
        return msgspec.json.decode(capfdbinary.readouterr().out, type=igd.PortAnswer)

    return run


@pytest.mark.parametrize(
    ("host", "fault"), [("0.0.0.0", ""), (OWN, ""), (OTHER, "elsewhere"), ("127.0.0.2", "elsewhere")]
)
def test_only_a_port_of_the_address_that_the_router_sees_is_opened(
    page: type[Page], command: Command, host: str, fault: igd.Fault
) -> None:
    opened = command(router(page), "open", host, "4610", "4610", "50000")
    assert opened == (igd.PortAnswer(fault) if fault else igd.PortAnswer("", WIDE, 4610))
    assert bool(page.ports) == (not fault)
    assert command(router(page), "close", host, "4610", "4610", "50000") == igd.PortAnswer(fault)
    assert page.ports == {}


def test_no_router_or_no_way_to_it(command: Command) -> None:
    nowhere = igd.Router(igd.WebPage("255.255.255.255", 80, "/"), SERVICE)
    assert command(None, "open", "0.0.0.0", "4610", "4610") == igd.PortAnswer("no_router")
    assert command(nowhere, "open", "0.0.0.0", "4610", "4610") == igd.PortAnswer("elsewhere")


@pytest.mark.process
@pytest.mark.skipif(sys.platform != "linux", reason="no such limit of memory")
@pytest.mark.parametrize(
    ("work", "limit_s", "code"),
    [("time.sleep(600)", 0.3, 1), ("bytearray(100 * 2**20)", 30, 7), ("bytearray(256 * 2**20)", 30, 1)],
    ids=["too long", "it fits", "too much memory"],
)
def test_the_process_ends_by_itself(work: str, limit_s: float, code: int) -> None:
    limits = f"igd.LIMIT_S = {limit_s}; igd.limit_process()"
    program = f"import os, time; from seqp2p.net import igd; {limits}; data = {work}; os._exit(7)"
    assert subprocess.run([sys.executable, "-c", program], check=False, stderr=subprocess.DEVNULL).returncode == code
