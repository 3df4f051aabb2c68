"""The command on a pseudo-terminal, against its own echo agent.

Comes in: the path of the command. Goes out: a line for each conversation, and an exit code.
"""

import os
import pty
import signal
import subprocess
import sys

LIVE = "\r\x1b[2K"


def on_terminal(command, arguments, answers=(), leave_at=None, **environment):
    """Runs the command; each prompt gets the next answer. Exit code and what it wrote."""
    child, terminal = pty.fork()
    if child == 0:
        known = {name: value for name, value in os.environ.items() if not name.startswith("A2A_")}
        known.pop("NO_COLOR", None)
        os.execve(command, ["cargo-a2a", *arguments], {**known, "TERM": "xterm", **environment})
    answers, written = list(answers), b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:
            break
        if not piece:
            break
        written += piece
        if written.endswith(b"> ") and answers:
            os.write(terminal, answers.pop(0))
        if leave_at and leave_at in written:
            os.kill(child, signal.SIGINT)
            leave_at = None
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), written.decode()


def check(name, found, code, has=(), lacks=()):
    exit_code, written = found
    assert exit_code == code, (name, exit_code, written)
    for text in has:
        assert text in written, (name, text, written)
    for text in lacks:
        assert text not in written, (name, text, written)
    print(f"{name}: as it should be")


def main(command):
    agent = subprocess.Popen(
        [command, "serve", "--listen", "127.0.0.1:0"],
        stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
    )
    try:
        url = agent.stdout.readline().strip()

        def run(*arguments, **how):
            return on_terminal(command, arguments, **how)

        check("a question is asked and answered", run("send", url, "input", "Where?", answers=[b"China\n"]),
              0, ["input required: Where?", "> ", "\r\nChina\r\n", "completed"], ["answer it with"])
        check("several are", run("stream", url, "input", answers=[b"China\n"]), 0, ["China"])
        check("no answer leaves the question", run("send", url, "input", answers=[b"\n"]),
              4, ["answer it with\r\n  cargo a2a send"])
        check("no question where a program reads", run("send", url, "input", "--json"),
              4, ["TASK_STATE_INPUT_REQUIRED"], ["> ", "\x1b"])
        check("news take each other's place", run("stream", url, "slow 2"),
              0, [f"{LIVE}working: 0 of 2 seconds{LIVE}working: 1 of 2 seconds{LIVE}"])
        check("waiting is shown", run("send", url, "slow 2"), 0, [f"{LIVE}waiting for the agent, 1 s"])
        check("text is not written over", run("stream", url, "stream 5"), 0, ["\r\n1 2 3 4 5\r\n"])
        check("errors have colours", run("get", url, "nothing"), 5, ["\x1b[1;31merror:\x1b[0m"])
        check("but not where nobody wants them", run("get", url, "nothing", NO_COLOR="1"), 5, ["error:"], ["\x1b["])
        check("nor on a terminal that has none", run("stream", url, "slow 1", TERM="dumb"), 0, ["working"], ["\x1b"])
        check("Ctrl-C says how to come back", run("stream", url, "slow 60", leave_at=b"of 60 seconds"),
              0, ["goes on without you; come back with\r\n  cargo a2a subscribe"])
        check("also while waiting for an answer", run("send", url, "slow 60", leave_at=b"waiting for the agent"),
              0, ["no longer waiting"])
    finally:
        agent.kill()
        agent.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
