"""Runs Synapse for as long as whoever started it lives: it ends when its standard input does, however that came."""

import os
import signal
import sys
import threading

from synapse.app.homeserver import main


def end_with_parent() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGKILL)


threading.Thread(target=end_with_parent, daemon=True).start()
sys.exit(main())
