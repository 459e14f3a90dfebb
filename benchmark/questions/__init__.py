"""Each module is a question, which `python -m benchmark NAME` asks: workloads, table and figure."""
