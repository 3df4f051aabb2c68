"""The Python A2A client asks the travel desk for all that it can do.

In: the base URL of a running `travel-desk`. Out: a line per step, at the end a
line `N passed, M failed`; the exit status is 1 when anything failed.

On each binding, streaming and not: the card that was made from attributes is
taken, the API key goes where it says, and every skill answers.
"""

import asyncio
import faulthandler
import sys

from a2a.client import A2ACardResolver, ClientCallContext, ClientConfig, ClientFactory
from a2a.client.auth import AuthInterceptor, InMemoryContextCredentialStore
from a2a.client.service_parameters import ServiceParametersFactory, with_a2a_extensions
from a2a.helpers import new_data_message, new_raw_message
from a2a.types import (
    GetExtendedAgentCardRequest,
    Role,
    SendMessageConfiguration,
    SendMessageRequest,
)
from google.protobuf.json_format import MessageToDict

from authentication import refused_as
from conversation import BINDINGS, guarded
from harness import Report, Turn, equal, grpc_channel, open_http, user_message

RUN_SECONDS = 180
EXTENSION = "https://example.com/ext/made-up-offers/v1"
SKILL = "urn:a2a-kit:skill-schemas:v1/skill"
SKILLS = ["find-flights", "settle-expenses", "describe-city"]


class Desk:
    """A client who has the key, and says that it knows the extension."""

    def __init__(self, client) -> None:
        self.client = client

    def call(self, *extensions: str) -> dict:
        parameters = ServiceParametersFactory.create([with_a2a_extensions(list(extensions))])
        context = ClientCallContext(state={"sessionId": "demo"}, service_parameters=parameters)
        return {"context": context}

    async def send(self, message, *extensions: str) -> Turn:
        turn = Turn()
        request = SendMessageRequest(
            message=message, configuration=SendMessageConfiguration(return_immediately=False)
        )
        async for event in self.client.send_message(request, **self.call(*extensions)):
            turn.add(event)
        return turn

    async def done(self, message):
        turn = await self.send(message, EXTENSION)
        equal("state", turn.state, "COMPLETED")
        equal("artifacts", len(turn.task.artifacts), 1)
        return turn.task.artifacts[0].parts


async def scenario(report: Report, card, desk: Desk) -> None:
    with report.step("the card has the public skills"):
        equal("skills", [skill.id for skill in card.skills], SKILLS)
    with report.step("typed data gives typed data"):
        trip = {"from": "BER", "to": "LIS", "travellers": 2}
        [part] = await desk.done(new_data_message(trip, role=Role.ROLE_USER))
        offers = MessageToDict(part.data)["offers"]
        equal("flights", [offer["flight"] for offer in offers], ["XX101 BER-LIS", "XX205 BER-LIS"])
    with report.step("a file gives a file"):
        table = b"item,amount\nhotel,120.50\n"
        file = new_raw_message(table, "text/csv", "trip.csv", role=Role.ROLE_USER)
        [part] = await desk.done(file)
        equal("file", (part.filename, part.media_type), ("settled.csv", "text/csv"))
        equal("bytes", part.raw, table + b"total,120.50\n")
    with report.step("text gives text, word by word"):
        parts = await desk.done(user_message("Lisbon"))
        text = "".join(part.text for part in parts)
        assert text.startswith("Lisbon is worth a journey"), text
    with report.step("the extended card has one more skill"):
        extended = await desk.client.get_extended_agent_card(
            GetExtendedAgentCardRequest(), **desk.call(EXTENSION)
        )
        equal("skills", [skill.id for skill in extended.skills], [*SKILLS, "corporate-rates"])
    with report.step("which is answered when it is named"):
        message = user_message("Lisbon")
        message.metadata.update({SKILL: "corporate-rates"})
        [part] = await desk.done(message)
        assert part.text.startswith("demo stays in Lisbon"), part
    with report.step("wrong data is refused with its path"):
        await refused_as(
            desk.send(new_data_message({"from": "BER"}, role=Role.ROLE_USER), EXTENSION),
            # Over HTTP+JSON this client tells the status, and not what was said.
            ("message.parts[0].data.to: is missing", "HTTP Error 400"),
        )
    with report.step("and who does not know the extension"):
        await refused_as(desk.send(user_message("Lisbon")), (EXTENSION, "ExtensionSupportRequired"))


async def play(report: Report, base: str, binding: str, *, streaming: bool) -> None:
    store = InMemoryContextCredentialStore()
    await store.set_credentials("demo", "key", "demo-key")
    async with open_http() as http:
        card = await A2ACardResolver(http, base).get_agent_card()
        config = ClientConfig(
            streaming=streaming,
            supported_protocol_bindings=[binding],
            httpx_client=http,
            grpc_channel_factory=grpc_channel,
        )
        client = ClientFactory(config).create(card, [AuthInterceptor(store)])
        async with client:
            await scenario(report, card, Desk(client))


async def run(base: str) -> Report:
    report = Report()
    for binding in BINDINGS:
        for streaming in (False, True):
            way = "stream" if streaming else "single"
            work = play(report, base, binding, streaming=streaming)
            await guarded(report, f"travel desk, {binding} {way}", work)
    return report


def main() -> int:
    if not __debug__:
        sys.exit("travel_desk.py checks with `assert`: run it without -O and PYTHONOPTIMIZE")
    if len(sys.argv) != 2:
        sys.exit("usage: travel_desk.py BASE-URL")
    faulthandler.dump_traceback_later(RUN_SECONDS, exit=True)
    report = asyncio.run(run(sys.argv[1]))
    faulthandler.cancel_dump_traceback_later()
    print(f"{report.passed} passed, {report.failed} failed", flush=True)
    return 1 if report.failed or not report.passed else 0


if __name__ == "__main__":
    sys.exit(main())
