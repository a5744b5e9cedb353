# Runs a program at a pseudo-terminal: argv[1] is a JSON list of steps, the rest is the program. A step {"expect": text} waits until the
# text was shown (since the step before), {"send": text} types it, {"signal": name} sends a signal. Prints what was shown, then, on
# a last line of its own, the exit code as JSON.
import json
import os
import pty
import select
import signal
import struct
import sys
import termios
import fcntl
import time

steps = json.loads(sys.argv[1])
pid, terminal = pty.fork()
if pid == 0:
    os.execvp(sys.argv[2], sys.argv[2:])
fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 50, 200, 0, 0))

shown = b""
seen = 0
end = time.time() + 45


def read(seconds):
    global shown
    ready, _, _ = select.select([terminal], [], [], seconds)
    if not ready:
        return True
    try:
        piece = os.read(terminal, 65536)
    except OSError:
        return False
    shown += piece
    return piece != b""


def fail(step):
    os.kill(pid, signal.SIGKILL)
    os.write(1, shown)
    sys.exit("not shown: %s" % json.dumps(step))


for step in steps:
    if "expect" in step:
        wanted = step["expect"].encode()
        while wanted not in shown[seen:]:
            if time.time() > end or not read(0.2):
                fail(step)
        seen = shown.index(wanted, seen) + len(wanted)
    elif "send" in step:
        os.write(terminal, step["send"].encode())
    elif "signal" in step:
        os.kill(pid, getattr(signal, step["signal"]))

while read(0.2) and time.time() < end:
    pass
if time.time() >= end:
    fail("the end")
_, status = os.waitpid(pid, 0)
os.write(1, shown)
os.write(1, ("\n%s\n" % json.dumps(os.waitstatus_to_exitcode(status))).encode())
