{{/* weir.yaml of a component: (dict "root" $ "component" "gateway"). Keys are full names of properties. */}}
{{- define "weir.configFile" -}}
{{- $values := .root.Values -}}
{{- $root := .root -}}
{{- $own := dict
    "weir.data-dir" "/var/lib/weir"
    "weir.management.address" "0.0.0.0"
    "weir.management.port" 9090
    "weir.management.metrics-anonymous" $values.monitoring.metricsAnonymous
    "weir.shutdown.grace" (printf "%ds" (int64 $values.shutdown.graceSeconds)) -}}
{{- $views := dict -}}
{{- $directories := list -}}
{{- range $values.data -}}
{{- if .view -}}
{{- $_ := set $own (printf "weir.engine.duckdb.parquet-views.%s" .name) (printf "/data/%s" .name) -}}
{{- else -}}
{{- $directories = append $directories (printf "/data/%s" .name) -}}
{{- end -}}
{{- end -}}
{{- if $directories -}}{{- $_ := set $own "weir.engine.duckdb.allowed-directories" $directories -}}{{- end -}}
{{- if eq .component (include "weir.engineComponent" .root) -}}
{{- $_ := set $own "weir.engine.duckdb.max-temp-size" (include "weir.maxTempSize" .root) -}}
{{- $_ := set $own "weir.engine.duckdb.isolation" $values.database.isolation -}}
{{- if ne $values.database.access "none" -}}
{{- $_ := set $own "weir.engine.duckdb.access" $values.database.access -}}
{{- $_ := set $own "weir.engine.duckdb.database" (printf "/database/%s" $values.database.file) -}}
{{- end -}}
{{- if eq $values.database.access "read-write" -}}
{{- $_ := set $own "weir.engine.duckdb.process" "child" -}}
{{- if eq .component "gateway" -}}
{{- with include "weir.childBudget" $values.gateway.resources -}}{{- $_ := set $own "weir.admission.memory.budget" . -}}{{- end -}}
{{- else if not $values.workers.memory -}}
{{- with include "weir.childBudget" $values.workers.resources -}}{{- $_ := set $own "weir.worker.memory" . -}}{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- if $values.workers.enabled -}}
{{- $_ := set $own "weir.cluster.secret-file" "/etc/weir/cluster/secret" -}}
{{- end -}}
{{- if eq .component "gateway" -}}
{{- $own = merge $own (fromYaml (include "weir.gatewayProperties" .root)) -}}
{{- else -}}
{{- $own = merge $own (fromYaml (include "weir.workerProperties" .root)) -}}
{{- end -}}
{{- range $name, $value := $values.config -}}
{{- $gatewayOnly := regexMatch "^weir\\.(admission|auth|flight|http|session|results|query-log|cluster)\\." $name -}}
{{- if not (and (eq $.component "worker") $gatewayOnly) -}}
{{- $_ := set $own $name $value -}}
{{- end -}}
{{- end -}}
{{- toYaml $own -}}
{{- end -}}

{{- define "weir.gatewayProperties" -}}
weir.http.port: 8080
weir.flight.port: 31337
weir.auth.token-key-file: /etc/weir/token-key/token.key
{{- if include "weir.usersSecret" . }}
weir.auth.users-file: /etc/weir/users/users.yaml
{{- end }}
{{- if eq .Values.tls.source "off" }}
weir.tls.allow-plaintext: true
weir.tls.enabled: false
{{- else if ne .Values.tls.source "self-signed" }}
weir.tls.certificate: /etc/weir/tls/tls.crt
weir.tls.private-key: /etc/weir/tls/tls.key
{{- end }}
{{- if .Values.tls.clientCaSecret }}
weir.tls.client-ca: /etc/weir/client-ca/ca.crt
{{- end }}
{{- if .Values.workers.enabled }}
weir.cluster.discovery.uri: grpc+tls://{{ include "weir.workersHost" . }}:31338
weir.cluster.tls.ca: /etc/weir/workers-ca/ca.crt
{{- end }}
{{- end -}}

{{- define "weir.workerProperties" -}}
weir.worker.port: 31338
weir.tls.certificate: /etc/weir/tls/tls.crt
weir.tls.private-key: /etc/weir/tls/tls.key
{{- if .Values.workers.slots }}
weir.worker.slots: {{ .Values.workers.slots }}
{{- end }}
{{- if .Values.workers.memory }}
weir.worker.memory: {{ .Values.workers.memory | quote }}
{{- end }}
{{- end -}}
