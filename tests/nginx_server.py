"""A real nginx in front of replicas, as an ingress is: buffering off, no retries of its own."""

import os
import signal
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from tests.loopback_server import listens
from tests.patience import PATIENCE
from tools.service_process import free_port

CONFIGURATION = """
daemon off;
{user}
worker_processes 1;
pid {folder}/nginx.pid;
error_log {folder}/error.log;
events {{ worker_connections 1024; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  upstream replicas {{
{servers}
  }}
  server {{
    listen 127.0.0.1:{port};
    client_max_body_size 0;
    location / {{
      proxy_pass http://replicas;
      proxy_http_version 1.1;
      proxy_set_header Connection "";
      proxy_set_header Host $http_host;
      # Events and lines go on as they come; batches may send while they read.
      proxy_buffering off;
      proxy_request_buffering off;
      proxy_read_timeout 150s;
      proxy_next_upstream off;
    }}
  }}
}}
"""


class NginxServer:
    """Runs from `with` to its end; `serve` changes the replicas without losing a request."""

    def __init__(self, binary: Path, folder: Path, ports: Sequence[int]) -> None:
        self._binary = binary
        self._folder = folder
        self.port = free_port()
        self._write(ports)
        self._process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def __enter__(self) -> "NginxServer":
        command = [str(self._binary), "-p", str(self._folder), "-c", str(self._folder / "nginx.conf")]
        self._process = subprocess.Popen(command, stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + PATIENCE
        while not listens(self.port):
            if self._process.poll() is not None or time.monotonic() > deadline:
                raise RuntimeError((self._folder / "error.log").read_text())
            time.sleep(0.02)
        return self

    def __exit__(self, *_: object) -> None:
        if self._process is not None:
            self._process.terminate()
            self._process.wait(PATIENCE)

    def serve(self, ports: Sequence[int]) -> None:
        """Send new requests to these replicas alone, as a cluster does when a pod is no longer ready."""
        self._write(ports)
        assert self._process is not None
        self._process.send_signal(signal.SIGHUP)
        time.sleep(0.5)  # the old worker ends once its requests are answered; the new one has the port

    def _write(self, ports: Sequence[int]) -> None:
        servers = "\n".join(f"    server 127.0.0.1:{port} max_fails=0;" for port in ports)
        user = "user root;" if os.geteuid() == 0 else ""
        text = CONFIGURATION.format(folder=self._folder, servers=servers, port=self.port, user=user)
        (self._folder / "nginx.conf").write_text(text)
