# Weir in a container: docker build -t weir .
#
# Runs as user 10001 on a root file system that may be read-only; what it writes is in /var/lib/weir and /tmp.
# All sizes follow from the container's memory, and the start prints them (bin/weir, docs/kubernetes.md).

FROM maven:3-eclipse-temurin-17 AS build
WORKDIR /build
COPY . .
RUN --mount=type=cache,target=/root/.m2 \
    mvn -B -q -DskipTests -Dspotless.check.skip=true package -pl gateway-app -am
# Layers by how often they change: libraries seldom, Weir's own code each time.
RUN java -Djarmode=tools -jar gateway-app/target/weir-app.jar extract --layers --destination /layers \
    && mkdir -p /layers/dependencies /layers/spring-boot-loader /layers/snapshot-dependencies /layers/application

FROM eclipse-temurin:25-jre
RUN groupadd --gid 10001 weir \
    && useradd --uid 10001 --gid weir --home-dir /var/lib/weir --no-create-home --shell /usr/sbin/nologin weir \
    && install -d -o weir -g weir -m 0750 /var/lib/weir
COPY --from=build /layers/dependencies/ /opt/weir/app/
COPY --from=build /layers/spring-boot-loader/ /opt/weir/app/
COPY --from=build /layers/snapshot-dependencies/ /opt/weir/app/
COPY --from=build /layers/application/ /opt/weir/app/
COPY LICENSE /opt/weir/LICENSE
COPY --chmod=0755 bin/weir /opt/weir/bin/weir
ENV WEIR_DATA_DIR=/var/lib/weir
USER 10001:10001
WORKDIR /tmp
VOLUME ["/var/lib/weir"]
EXPOSE 8080 31337 31338 9090
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=10s --start-period=90s --retries=3 CMD ["/opt/weir/bin/weir", "health"]
ENTRYPOINT ["/opt/weir/bin/weir"]
CMD ["serve"]
