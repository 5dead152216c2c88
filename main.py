"""What the user starts: opens the window or, with ``--text``, runs on the command line."""

import sys

try:
    from posenc_gui.launch import main
except KeyboardInterrupt:  # pressed while the program is still being loaded
    sys.exit(130)

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
