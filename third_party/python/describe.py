"""Prints what the build must know of the Python that runs this, as JSON."""

import json
import os
import sys
import sysconfig

include = sysconfig.get_path("include")
# Debian's pyconfig.h includes another one from a folder for the machine, next to that of Python.
multiarch = os.path.join(
    os.path.dirname(include),
    sysconfig.get_config_var("MULTIARCH") or "",
    os.path.basename(include),
)
# A Python without this library has the functions itself.
folder, name = (sysconfig.get_config_var(key) for key in ("LIBDIR", "INSTSONAME"))
library = [os.path.join(folder, name)] if folder and name else []
version = "cp{}{}".format(*sys.version_info)
print(
    json.dumps(
        {
            "abi": version + getattr(sys, "abiflags", ""),
            "include": include,
            # Files that may have the functions of Python's C interface.
            "libraries": [sys.executable, *library],
            "multiarch_include": multiarch if os.path.isdir(multiarch) else "",
            "python": sys.executable,
            "suffix": sysconfig.get_config_var("EXT_SUFFIX"),
            "version": version,
        }
    )
)
