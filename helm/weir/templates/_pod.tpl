{{/* A pod of a component: (dict "root" $ "component" "gateway" "command" "serve" "values" .Values.gateway "configMap" NAME
     "ports" YAML "scheme" "HTTPS" "grace" N). */}}
{{- define "weir.pod" -}}
metadata:
  labels:
    {{- include "weir.labels" (dict "root" .root "component" .component "labels" .values.podLabels) | nindent 4 }}
  annotations:
    checksum/config: {{ include "weir.configFile" (dict "root" .root "component" .component) | sha256sum }}
    {{- with merge (dict) .values.podAnnotations .root.Values.commonAnnotations }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "weir.serviceAccountName" .root }}
  automountServiceAccountToken: false
  # A service called weir would else set WEIR_..._PORT, which are names of properties.
  enableServiceLinks: false
  terminationGracePeriodSeconds: {{ .grace }}
  {{- with .root.Values.image.pullSecrets }}
  imagePullSecrets:
    {{- range . }}
    - name: {{ . }}
    {{- end }}
  {{- end }}
  {{- with .values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  topologySpreadConstraints:
    {{- if kindIs "invalid" .values.topologySpreadConstraints }}
    - maxSkew: 1
      topologyKey: kubernetes.io/hostname
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "weir.selector" . | nindent 10 }}
    {{- else }}
    {{- toYaml .values.topologySpreadConstraints | nindent 4 }}
    {{- end }}
  securityContext:
    runAsNonRoot: true
    {{- with .root.Values.security.runAsUser }}
    runAsUser: {{ int64 . }}
    {{- end }}
    {{- with .root.Values.security.runAsGroup }}
    runAsGroup: {{ int64 . }}
    {{- end }}
    {{- with .root.Values.security.fsGroup }}
    fsGroup: {{ int64 . }}
    fsGroupChangePolicy: OnRootMismatch
    {{- end }}
    seccompProfile:
      type: RuntimeDefault
  containers:
    - name: weir
      image: {{ include "weir.image" .root }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      args:
        - {{ .command }}
        - --config
        - /etc/weir/config/weir.yaml
        {{- range .values.extraArgs }}
        - {{ . | quote }}
        {{- end }}
      {{- include "weir.environment" . | nindent 6 }}
      ports:
        {{- .ports | nindent 8 }}
        - name: management
          containerPort: 9090
      {{- include "weir.probes" . | nindent 6 }}
      {{- if gt (int64 .root.Values.shutdown.preStopSeconds) 0 }}
      lifecycle:
        # Until every node has taken the pod out of its services.
        preStop:
          sleep:
            seconds: {{ int64 .root.Values.shutdown.preStopSeconds }}
      {{- end }}
      resources:
        {{- toYaml .values.resources | nindent 8 }}
      securityContext:
        allowPrivilegeEscalation: false
        privileged: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
      volumeMounts:
        {{- include "weir.volumeMounts" . | nindent 8 }}
        {{- with .values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- include "weir.volumes" . | nindent 4 }}
    {{- with .values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}

{{- define "weir.environment" -}}
env:
  - name: WEIR_JAVA_OPTS
    value: {{ .values.javaOptions | quote }}
  {{- if and (eq .component "gateway") (not (include "weir.usersSecret" .root)) }}
  - name: WEIR_ADMIN_PASSWORD
    valueFrom:
      secretKeyRef:
        name: {{ include "weir.adminSecret" .root }}
        key: {{ if .root.Values.users.admin.existingSecret }}{{ .root.Values.users.admin.key }}{{ else }}password{{ end }}
  {{- end }}
  {{- with .values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- with .values.extraEnvFrom }}
envFrom:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "weir.probes" -}}
{{- $scheme := .scheme -}}
{{- range $kind, $path := dict "startup" "/livez" "liveness" "/livez" "readiness" "/readyz" }}
{{- $probe := index $.root.Values.probes $kind }}
{{ $kind }}Probe:
  httpGet:
    path: {{ $path }}
    port: management
    scheme: {{ $scheme }}
  periodSeconds: {{ int64 $probe.periodSeconds }}
  timeoutSeconds: {{ int64 $probe.timeoutSeconds }}
  failureThreshold: {{ int64 $probe.failureThreshold }}
{{- end }}
{{- end -}}
