"""The command line: `python -m parallel_pool --help`."""

import sys

from parallel_pool.command_line.parser import main

if __name__ == "__main__":
    sys.exit(main())
