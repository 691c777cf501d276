{{/* Under this directory of the data directory the engine spills. */}}
{{- define "weir.tempDirectory" -}}
{{- $database := .Values.database -}}
{{- if or (eq $database.isolation "process") (eq $database.access "read-write") -}}processes{{- else -}}duckdb{{- end -}}
{{- end -}}

{{- define "weir.volumeMounts" -}}
{{- $values := .root.Values -}}
- name: config
  mountPath: /etc/weir/config
  readOnly: true
- name: state
  mountPath: /var/lib/weir
- name: tmp
  mountPath: /tmp
{{- if eq .component "gateway" }}
- name: token-key
  mountPath: /etc/weir/token-key
  readOnly: true
{{- if include "weir.usersSecret" .root }}
- name: users
  mountPath: /etc/weir/users
  readOnly: true
{{- end }}
{{- if $values.tls.clientCaSecret }}
- name: client-ca
  mountPath: /etc/weir/client-ca
  readOnly: true
{{- end }}
{{- if $values.workers.enabled }}
- name: workers-ca
  mountPath: /etc/weir/workers-ca
  readOnly: true
{{- end }}
{{- end }}
{{- if or (eq .component "worker") (has $values.tls.source (list "secret" "cert-manager")) }}
- name: tls
  mountPath: /etc/weir/tls
  readOnly: true
{{- end }}
{{- if $values.workers.enabled }}
- name: cluster-secret
  mountPath: /etc/weir/cluster
  readOnly: true
{{- end }}
{{- if eq .component (include "weir.engineComponent" .root) }}
- name: temp
  mountPath: /var/lib/weir/{{ include "weir.tempDirectory" .root }}
{{- if ne $values.database.access "none" }}
- name: database
  mountPath: /database
  {{- if eq $values.database.access "read-only" }}
  readOnly: true
  {{- end }}
{{- end }}
{{- range $values.data }}
- name: data-{{ .name | replace "_" "-" }}
  mountPath: /data/{{ .name }}
  {{- with .subPath }}
  subPath: {{ . | quote }}
  {{- end }}
  readOnly: true
{{- end }}
{{- end }}
{{- end -}}

{{- define "weir.secretVolume" -}}
- name: {{ .name }}
  secret:
    secretName: {{ .secret }}
    # The group reads it (fsGroup), others do not.
    defaultMode: 0440
    items:
      {{- range $key, $path := .items }}
      - key: {{ $key }}
        path: {{ $path }}
      {{- end }}
{{- end -}}

{{- define "weir.volumes" -}}
{{- $values := .root.Values -}}
- name: config
  configMap:
    name: {{ .configMap }}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
- name: state
  {{- if and (eq .component "gateway") $values.state.persistence.enabled }}
  persistentVolumeClaim:
    claimName: {{ include "weir.stateClaim" .root }}
  {{- else }}
  emptyDir:
    sizeLimit: {{ $values.state.size }}
  {{- end }}
{{- if eq .component "gateway" }}
{{ include "weir.secretVolume" (dict "name" "token-key" "secret" (include "weir.tokenKeySecret" .root)
    "items" (dict (ternary $values.tokenKey.key "token.key" (ne $values.tokenKey.existingSecret "")) "token.key")) }}
{{- with include "weir.usersSecret" .root }}
{{ include "weir.secretVolume" (dict "name" "users" "secret" . "items" (dict (include "weir.usersKey" $.root) "users.yaml")) }}
{{- end }}
{{- with $values.tls.clientCaSecret }}
{{ include "weir.secretVolume" (dict "name" "client-ca" "secret" . "items" (dict $values.tls.clientCaKey "ca.crt")) }}
{{- end }}
{{- if has $values.tls.source (list "secret" "cert-manager") }}
{{ include "weir.secretVolume" (dict "name" "tls" "secret" (include "weir.tlsSecret" .root) "items" (dict "tls.crt" "tls.crt" "tls.key" "tls.key")) }}
{{- end }}
{{- if $values.workers.enabled }}
{{ include "weir.secretVolume" (dict "name" "workers-ca" "secret" (include "weir.workersTlsSecret" .root) "items" (dict "ca.crt" "ca.crt")) }}
{{- end }}
{{- else }}
{{ include "weir.secretVolume" (dict "name" "tls" "secret" (include "weir.workersTlsSecret" .root) "items" (dict "tls.crt" "tls.crt" "tls.key" "tls.key")) }}
{{- end }}
{{- if $values.workers.enabled }}
{{ include "weir.secretVolume" (dict "name" "cluster-secret" "secret" (include "weir.clusterSecret" .root)
    "items" (dict (ternary $values.cluster.key "secret" (ne $values.cluster.existingSecret "")) "secret")) }}
{{- end }}
{{- if eq .component (include "weir.engineComponent" .root) }}
{{ include "weir.engineVolumes" .root }}
{{- end }}
{{- end -}}

{{- define "weir.engineVolumes" -}}
- name: temp
  {{- if .Values.temp.storageClass }}
  ephemeral:
    volumeClaimTemplate:
      spec:
        accessModes: [ReadWriteOnce]
        storageClassName: {{ .Values.temp.storageClass }}
        resources:
          requests:
            storage: {{ .Values.temp.size }}
  {{- else }}
  emptyDir:
    sizeLimit: {{ .Values.temp.size }}
  {{- end }}
{{- if ne .Values.database.access "none" }}
- name: database
  {{- if .Values.database.volume }}
  {{- toYaml .Values.database.volume | nindent 2 }}
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ include "weir.databaseClaim" . }}
    {{- if eq .Values.database.access "read-only" }}
    readOnly: true
    {{- end }}
  {{- end }}
{{- end }}
{{- range .Values.data }}
- name: data-{{ .name | replace "_" "-" }}
  {{- if .volume }}
  {{- toYaml .volume | nindent 2 }}
  {{- else }}
  persistentVolumeClaim:
    claimName: {{ .existingClaim }}
    readOnly: true
  {{- end }}
{{- end }}
{{- end -}}
