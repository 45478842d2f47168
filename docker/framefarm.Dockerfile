# Three images from one build:
#   docker build -f docker/framefarm.Dockerfile -t framefarm .                          the API and a local worker
#   docker build -f docker/framefarm.Dockerfile --target api -t framefarm-api .         the API only, for a farm
#   docker build -f docker/framefarm.Dockerfile --target worker -t framefarm-worker .   a CPU worker only
# Linted with hadolint (scripts/check-docker); not yet built with Docker.

FROM node:24-bookworm-slim AS page
WORKDIR /page
COPY api/web/package.json api/web/package-lock.json api/web/.npmrc ./
RUN npm ci --no-audit --no-fund
COPY api/web .
RUN npm run build

FROM rust:1.95-bookworm AS build
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libclang-dev pkg-config libavcodec-dev libavdevice-dev \
       libavfilter-dev libavformat-dev libavutil-dev libswresample-dev libswscale-dev \
    && rm -rf /var/lib/apt/lists/*
WORKDIR /src
COPY . .
COPY --from=page /page/dist api/web/dist
RUN --mount=type=cache,target=/usr/local/cargo/registry \
    --mount=type=cache,target=/src/target \
    cargo build --release --locked -p framefarm-api -p framefarm-worker --features framefarm-api/full,framefarm-worker/full \
    && cp target/release/framefarm target/release/framefarm-worker /usr/local/bin/

FROM debian:bookworm-slim AS base
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /data --create-home framefarm
USER 10001
STOPSIGNAL SIGTERM

FROM base AS api
COPY --from=build /usr/local/bin/framefarm /usr/local/bin/
VOLUME /data
EXPOSE 8080
# A health check with bash, because the image has no curl.
HEALTHCHECK --interval=5s --timeout=3s --start-period=20s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /readyz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [[ $status == 200 ]]"]
ENTRYPOINT ["framefarm"]
CMD ["serve", "--no-worker", "--data-dir", "/data", "--listen", "0.0.0.0:8080"]

FROM base AS codecs
USER 0
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends libavcodec59 libavdevice59 libavfilter8 libavformat59 libavutil57 \
       libswresample4 libswscale6 \
    && rm -rf /var/lib/apt/lists/*
USER 10001
# Encoders open uploads only with the complete sandbox; see docs/sandbox.md if a layer is not available.
ENV FRAMEFARM_SANDBOX=required

FROM codecs AS worker
COPY --from=build /usr/local/bin/framefarm-worker /usr/local/bin/
# Holds sources, unfinished work and the key from `--join-file`.
ENV FRAMEFARM_WORKER_SCRATCH=/data
VOLUME /data
ENTRYPOINT ["framefarm-worker"]
CMD ["run"]

FROM codecs AS single
COPY --from=build /usr/local/bin/framefarm /usr/local/bin/framefarm-worker /usr/local/bin/
VOLUME /data
EXPOSE 8080
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [[ $status == 200 ]]"]
ENTRYPOINT ["framefarm"]
CMD ["serve", "--data-dir", "/data", "--listen", "0.0.0.0:8080"]
