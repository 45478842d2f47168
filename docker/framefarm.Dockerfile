# Server and worker: docker build -f docker/framefarm.Dockerfile -t framefarm .
#   docker run framefarm serve …            a server with a worker beside it
#   docker run --entrypoint framefarm-worker framefarm run …   a worker alone
# Linted with hadolint; no Docker engine was at hand to build it.

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
    cargo build --release --locked -p framefarm-api -p framefarm-worker \
    && cp target/release/framefarm target/release/framefarm-worker /usr/local/bin/

FROM debian:bookworm-slim
# hadolint ignore=DL3008
RUN apt-get update \
    && apt-get install -y --no-install-recommends ca-certificates libavcodec59 libavdevice59 libavfilter8 \
       libavformat59 libavutil57 libswresample4 libswscale6 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --system --uid 10001 --user-group --home-dir /data --create-home framefarm
COPY --from=build /usr/local/bin/framefarm /usr/local/bin/framefarm-worker /usr/local/bin/

USER 10001
VOLUME /data
EXPOSE 8080
STOPSIGNAL SIGTERM
# bash speaks enough HTTP for this: no curl in the image.
HEALTHCHECK --interval=10s --timeout=3s --start-period=20s --retries=3 \
    CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/8080 && printf 'GET /healthz HTTP/1.1\\r\\nHost: localhost\\r\\nConnection: close\\r\\n\\r\\n' >&3 && read -r _ status _ <&3 && [[ $status == 200 ]]"]
ENTRYPOINT ["framefarm"]
CMD ["serve", "--data-dir", "/data", "--listen", "0.0.0.0:8080"]
