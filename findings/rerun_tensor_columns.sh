#!/usr/bin/env bash
# Guess:    rerun.Tensor.columns() takes a tensor for each time, as Scalars.columns() takes numbers;
#           so send_columns() writes many steps of pictures or maps at once.
# Happens:  a list or an array of N tensors becomes one tensor with one more axis, and a list of
#           TensorData is refused. send_columns() then only warns, and nothing of the call is written.
#           log() of one tensor after another works.
# Who:      a user who writes observations with more than one axis to a recording of Rerun.
# Source:   package rerun-sdk, file rerun/encodings/tensor_data_ext.py
# Date:     2026-11-29
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
"${PYTHON:-python3}" -m venv "$folder/venv"
"$folder/venv/bin/pip" install -qq --disable-pip-version-check \
    rerun-sdk==0.41.0 numpy==2.4.6 pyarrow==26.0.1 pillow==13.0.0

"$folder/venv/bin/python" - "$folder" <<'EOF'
import sys
import warnings

import numpy as np
import rerun as rr

print("rerun-sdk", rr.__version__)
maps = np.arange(24, dtype=np.float32).reshape(3, 2, 4)  # of three steps
index = rr.TimeColumn("step", sequence=[0, 1, 2])
stream = rr.RecordingStream("finding")
stream.save(sys.argv[1] + "/finding.rrd")
with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    stream.send_columns("numbers", [index], rr.Scalars.columns(scalars=maps[:, 0, 0]))
    stream.send_columns("array", [index], rr.Tensor.columns(data=maps))
    stream.send_columns("list", [index], rr.Tensor.columns(data=list(maps)))
    refused = rr.Tensor.columns(data=[rr.TensorData(array=one) for one in maps])
    for step, one in enumerate(maps):
        stream.set_time("step", sequence=step)
        stream.log("one_by_one", rr.Tensor(one))
stream.disconnect()
rows = dict.fromkeys(["numbers", "array", "list", "one_by_one"], 0)
for chunk in rr.chunk.RrdReader(sys.argv[1] + "/finding.rrd").stream():
    name = chunk.entity_path.strip("/")
    if name in rows:
        rows[name] += chunk.num_rows
for name, number in rows.items():
    print(f"{name}: {number} rows of 3 are in the file")
for warning in said:
    print("warning:", str(warning.message)[:150])
if rows != {"numbers": 3, "array": 0, "list": 0, "one_by_one": 3} or len(said) < 3:
    sys.exit("Tensor.columns() no longer loses the tensors of several steps.")
EOF
