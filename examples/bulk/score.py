"""Score conversations with Ray Data, on this machine or on a cluster. An interrupted run continues where it stopped.

    python examples/bulk/score.py logs.jsonl scores

`logs.jsonl` (a file, a folder, or an address such as s3://bucket/logs) holds a log per line, as `crs-eval import` writes them.
On a cluster, every node must reach both paths.
"""

import argparse
import hashlib
import json
from pathlib import Path
from typing import Any

import pyarrow
import ray
from crs_eval.cli.conversations import replies_in
from crs_eval.cli.records import Record
from crs_eval.errors import CrsEvalError
from ray.data import DataContext, SaveMode
from ray.data.block import BlockAccessor
from ray.data.checkpoint import CheckpointConfig
from ray.data.datasource import BlockBasedFileDatasink

from crs_eval import score

Row = dict[str, Any]


class RecordSink(BlockBasedFileDatasink):
    """Writes the column `record` as lines of JSON. `write_json` would give all records the union of their fields."""

    def write_block_to_file(self, block: BlockAccessor, file: pyarrow.NativeFile) -> None:
        file.write("".join(row["record"] for row in block.iter_rows(public_row_format=True)).encode())


def with_request(row: Row) -> Row:
    """A line and its digest, by which the checkpoint knows it."""
    return row | {"request": hashlib.sha256(row["text"].encode()).hexdigest()[:16]}


def scored(row: Row) -> Row:
    """A record as `crs-eval score` writes it. A log that cannot be judged has its problem as `failure`."""
    log = json.loads(row["text"])
    answer = failure = None
    try:
        answer = score(log).model_dump(mode="json", by_alias=True)
    except CrsEvalError as error:
        failure = {"status": error.status, "detail": str(error)}
    replies, answered = replies_in(log)
    record = Record(
        conversation=log.get("id") or row["request"],
        system=log.get("system"),
        path="/score",
        request=row["request"],
        answer=answer,
        failure=failure,
        replies=replies,
        answered=answered,
    )
    return {"request": row["request"], "record": record.line()}


def main(source: str, target: str, part: int) -> None:
    """Write one record per log of `source` into the folder `target`, in files of `part` records."""
    folder = target if "://" in target else Path(target).resolve().as_uri()
    ray.data.read_text(source).map(with_request).write_parquet(f"{folder}/logs", mode=SaveMode.OVERWRITE)
    DataContext.get_current().checkpoint_config = CheckpointConfig(
        "request", f"{folder}/done", delete_checkpoint_on_success=False
    )
    logs = ray.data.read_parquet(f"{folder}/logs").repartition(target_num_rows_per_block=part)
    logs.map(scored).write_datasink(RecordSink(f"{folder}/records", file_format="jsonl"))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Score conversations with Ray Data.")
    parser.add_argument("source")
    parser.add_argument("target")
    parser.add_argument(
        "--part", type=int, default=100, help="logs that an interruption may cost (default: %(default)s)"
    )
    main(**vars(parser.parse_args()))
