# Premises, in an image that needs no writable disk but /data, where the embedded database is, and /tmp.
#   docker build --tag premises .
#   docker run --publish 4000:4000 premises
# For other architectures, with buildx: docker build --platform linux/amd64,linux/arm64 …

# Nothing in a release depends on the architecture, so that all images are built on that of the builder.
FROM --platform=$BUILDPLATFORM node:24-bookworm-slim AS build
WORKDIR /build
# The packages are a layer of their own, which stays when only the sources change.
COPY package.json package-lock.json ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm run release

FROM node:24-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 DATA_DIR=/data
RUN mkdir /data && chown node:node /data
WORKDIR /app
COPY --from=build /build/release ./
USER node
VOLUME /data
EXPOSE 4000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s \
  CMD ["node", "-e", "fetch('http://127.0.0.1:' + (process.env.PORT ?? 4000) + '/readyz').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
CMD ["node", "dist/server.js"]
