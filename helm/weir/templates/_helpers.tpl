{{- define "weir.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Room for the longest suffix, -management, below the 63 characters of a DNS label. */}}
{{- define "weir.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "weir.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "weir.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "weir.image" -}}
{{- if .Values.image.digest -}}
{{- printf "%s@%s" .Values.image.repository .Values.image.digest -}}
{{- else -}}
{{- printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "weir.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "weir.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "root" $ "component" "gateway"). */}}
{{- define "weir.selector" -}}
app.kubernetes.io/name: {{ include "weir.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "weir.labels" -}}
{{- $own := dict
    "helm.sh/chart" (printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_")
    "app.kubernetes.io/name" (include "weir.name" .root)
    "app.kubernetes.io/instance" .root.Release.Name
    "app.kubernetes.io/version" (.root.Chart.AppVersion | trunc 63)
    "app.kubernetes.io/part-of" "weir"
    "app.kubernetes.io/managed-by" .root.Release.Service -}}
{{- if .component -}}{{- $_ := set $own "app.kubernetes.io/component" .component -}}{{- end -}}
{{- toYaml (merge $own (default (dict) .labels) .root.Values.commonLabels) -}}
{{- end -}}

{{/* Metadata of an object: (dict "root" $ "name" "weir-http" "component" "gateway" "annotations" (dict) "labels" (dict)). */}}
{{- define "weir.metadata" -}}
name: {{ .name }}
namespace: {{ .root.Release.Namespace }}
labels:
  {{- include "weir.labels" . | nindent 2 }}
{{- with merge (dict) (default (dict) .annotations) .root.Values.commonAnnotations }}
annotations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{/* Which component opens the database: that one gets its volumes. */}}
{{- define "weir.engineComponent" -}}
{{- if .Values.workers.enabled -}}worker{{- else -}}gateway{{- end -}}
{{- end -}}

{{- define "weir.tlsActive" -}}
{{- if ne .Values.tls.source "off" -}}true{{- end -}}
{{- end -}}

{{- define "weir.probeScheme" -}}
{{- if eq .Values.tls.source "off" -}}HTTP{{- else -}}HTTPS{{- end -}}
{{- end -}}

{{- define "weir.tlsSecret" -}}
{{- if eq .Values.tls.source "cert-manager" -}}
{{- include "weir.fullname" . }}-tls
{{- else -}}
{{- .Values.tls.existingSecret -}}
{{- end -}}
{{- end -}}

{{- define "weir.workersTlsSecret" -}}
{{- if eq .Values.workers.tls.source "secret" -}}
{{- .Values.workers.tls.existingSecret -}}
{{- else -}}
{{- include "weir.fullname" . }}-workers-tls
{{- end -}}
{{- end -}}

{{/* The name that gateways look up, and that the workers' certificate carries. */}}
{{- define "weir.workersHost" -}}
{{- include "weir.fullname" . }}-workers.{{ .Release.Namespace }}.svc
{{- end -}}

{{/* Users come from a secret: the same on every replica, and not changed from inside. */}}
{{- define "weir.usersSecret" -}}
{{- if .Values.users.existingSecret -}}
{{- .Values.users.existingSecret -}}
{{- else if .Values.users.content -}}
{{- include "weir.fullname" . }}-users
{{- end -}}
{{- end -}}

{{- define "weir.usersKey" -}}
{{- if .Values.users.existingSecret -}}{{- .Values.users.key -}}{{- else -}}users.yaml{{- end -}}
{{- end -}}

{{- define "weir.adminSecret" -}}
{{- default (printf "%s-admin" (include "weir.fullname" .)) .Values.users.admin.existingSecret -}}
{{- end -}}

{{- define "weir.tokenKeySecret" -}}
{{- default (printf "%s-token-key" (include "weir.fullname" .)) .Values.tokenKey.existingSecret -}}
{{- end -}}

{{- define "weir.clusterSecret" -}}
{{- default (printf "%s-cluster" (include "weir.fullname" .)) .Values.cluster.existingSecret -}}
{{- end -}}

{{- define "weir.databaseClaim" -}}
{{- default (printf "%s-database" (include "weir.fullname" .)) .Values.database.existingClaim -}}
{{- end -}}

{{- define "weir.stateClaim" -}}
{{- default (printf "%s-state" (include "weir.fullname" .)) .Values.state.persistence.existingClaim -}}
{{- end -}}

{{/* A quantity (512Mi, 10Gi, 1Ti) in MiB. */}}
{{- define "weir.mebibytes" -}}
{{- $number := int64 (regexFind "^[0-9]+" .) -}}
{{- if hasSuffix "Ti" . -}}{{- mul $number 1048576 -}}
{{- else if hasSuffix "Gi" . -}}{{- mul $number 1024 -}}
{{- else -}}{{- $number -}}{{- end -}}
{{- end -}}

{{/* What is left of the temp volume for spilled data: child processes run from a copy of their jars on the same volume. */}}
{{- define "weir.maxTempSize" -}}
{{- $size := int64 (include "weir.mebibytes" .Values.temp.size) -}}
{{- if lt $size 2048 -}}
{{- fail (printf "temp.size is %s, which is too little: at least 2Gi, of which 1Gi is kept for what processes run from" .Values.temp.size) -}}
{{- end -}}
{{- printf "%dMB" (sub $size 1024) -}}
{{- end -}}

{{/* What queries get where a child process with a heap of its own owns the database and memory is scarce: 0.6 would
     leave too little for both processes. Empty where 0.6 will do. Takes the container's resources. */}}
{{- define "weir.childBudget" -}}
{{- $limit := toString (default "" (default (dict) .limits).memory) -}}
{{- if regexMatch "^[1-9][0-9]*(Mi|Gi|Ti)$" $limit -}}
{{- $all := int64 (include "weir.mebibytes" $limit) -}}
{{- if lt $all 1536 -}}
{{- fail (printf "resources.limits.memory is %s, which is too little for a gateway or worker that owns a database: give it 2Gi or more" $limit) -}}
{{- else if lt $all 6144 -}}
{{- printf "%dMB" (sub (div (mul $all 7) 10) 640) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{/* Takes (dict "root" $ "given" .Values.gateway.terminationGracePeriodSeconds "value" "gateway"). */}}
{{- define "weir.terminationGrace" -}}
{{- $shutdown := .root.Values.shutdown -}}
{{- $least := add (int64 $shutdown.graceSeconds) (int64 $shutdown.preStopSeconds) 30 -}}
{{- if kindIs "invalid" .given -}}
{{- $least -}}
{{- else if lt (int64 .given) $least -}}
{{- fail (printf "%s.terminationGracePeriodSeconds is %d, but shutdown.graceSeconds (%d), shutdown.preStopSeconds (%d) and 30 seconds for what is cancelled then make %d: the kubelet would kill queries that may still finish"
    .value (int64 .given) (int64 $shutdown.graceSeconds) (int64 $shutdown.preStopSeconds) $least) -}}
{{- else -}}
{{- int64 .given -}}
{{- end -}}
{{- end -}}

{{/* A generated secret's value that was there before the upgrade; empty when there is none. An install has nothing to
     keep and asks no cluster. Takes (dict "root" $ "secret" NAME "key" KEY). */}}
{{- define "weir.kept" -}}
{{- if .root.Release.IsUpgrade -}}
{{- $found := lookup "v1" "Secret" .root.Release.Namespace .secret -}}
{{- if $found -}}{{- index (default (dict) $found.data) .key | default "" -}}{{- end -}}
{{- end -}}
{{- end -}}

{{/* What a template knows and a schema cannot say. */}}
{{- define "weir.validate" -}}
{{- if not .Values.workers.enabled -}}
{{- if and (eq .Values.database.isolation "process") (eq .Values.database.access "none") (not .Values.data) -}}
{{- fail "database.isolation is process with database.access none: data must name at least one directory, else there is nothing to query" -}}
{{- end -}}
{{- end -}}
{{- $names := dict -}}
{{- range .Values.data -}}
{{- if hasKey $names .name -}}{{- fail (printf "data names %s twice" .name) -}}{{- end -}}
{{- $_ := set $names .name true -}}
{{- end -}}
{{- range $component := list "gateway" "workers" -}}
{{- $autoscaling := (index $.Values $component).autoscaling -}}
{{- if and $autoscaling.enabled (gt (int64 $autoscaling.minReplicas) (int64 $autoscaling.maxReplicas)) -}}
{{- fail (printf "%s.autoscaling.minReplicas (%d) is more than maxReplicas (%d)" $component (int64 $autoscaling.minReplicas) (int64 $autoscaling.maxReplicas)) -}}
{{- end -}}
{{- end -}}
{{- end -}}
