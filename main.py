"""What the user starts: opens the window or, with ``--text``, runs on the command line."""

import sys

from posenc_gui.launch import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
