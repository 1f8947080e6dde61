# The service alone: a virtual environment from the runtime lock, the wheel, nothing that builds.
FROM python:3.11-slim-bookworm AS build
WORKDIR /app
COPY tools/install.sh tools/install.sh
COPY requirements/runtime.txt requirements/runtime.txt
RUN tools/install.sh /app/.venv requirements/runtime.txt
COPY requirements/build.txt requirements/build.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY service service
RUN tools/install.sh /app/.venv requirements/runtime.txt wheel \
    && find /app/.venv -name __pycache__ -prune -exec rm -rf {} +

FROM python:3.11-slim-bookworm
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install --yes --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin crs-eval
WORKDIR /app
COPY --from=build /app/.venv /app/.venv
# Bytecode is made now: the root file system is read-only when the service runs.
RUN /app/.venv/bin/python -m compileall -q /app/.venv
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    OPENBLAS_NUM_THREADS=1 \
    CRS_EVAL_LOG_FORMAT=json
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8000/healthz', timeout=2)"]
ENTRYPOINT ["python", "-m", "crs_eval"]
CMD ["--host", "0.0.0.0", "--port", "8000"]
