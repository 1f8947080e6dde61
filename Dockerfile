# The service alone: a virtual environment from the lock with all that `crs-eval live` needs, the wheel, nothing that builds.
# `make image` passes docker/images.env, into which `make digests` writes digests.
ARG PYTHON_IMAGE=python:3.11-slim-bookworm
FROM ${PYTHON_IMAGE} AS build
WORKDIR /app
COPY tools/install.sh tools/install.sh
COPY requirements/live.txt requirements/live.txt
RUN tools/install.sh /app/.venv requirements/live.txt
COPY requirements/build.txt requirements/build.txt
COPY pyproject.toml setup.py README.md LICENSE ./
COPY service service
RUN tools/install.sh /app/.venv requirements/live.txt wheel \
    && find /app/.venv -name __pycache__ -prune -exec rm -rf {} +

FROM ${PYTHON_IMAGE}
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin crs-eval
WORKDIR /app
COPY --from=build /app/.venv /app/.venv
# Bytecode is made now: the root file system is read-only when the service runs.
RUN /app/.venv/bin/python -m compileall -q /app/.venv
COPY docker/entrypoint.sh docker/healthy.sh /app/
ARG VERSION=2.0.0
ARG REVISION=unknown
ARG SOURCE=unknown
LABEL org.opencontainers.image.title="crs-eval" \
      org.opencontainers.image.description="Evaluation of conversational recommender systems as a service" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.source="${SOURCE}"
ENV PATH=/app/.venv/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    CRS_EVAL_LOG_FORMAT=json
USER 10001
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=3s --start-period=10s --retries=3 CMD ["/app/healthy.sh"]
ENTRYPOINT ["/app/entrypoint.sh"]
