{{- define "vitrine.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "vitrine.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "vitrine.labels" -}}
{{ include "vitrine.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end -}}

{{- define "vitrine.image" -}}
image: "{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}"
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end -}}

{{- define "vitrine.podSecurity" -}}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  seccompProfile:
    type: RuntimeDefault
automountServiceAccountToken: false
{{- with .Values.imagePullSecrets }}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with .Values.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- define "vitrine.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end -}}

{{- define "vitrine.environment" -}}
envFrom:
  - secretRef:
      name: {{ .Values.existingSecret }}
env:
  - name: DATABASE_SCHEMA
    value: {{ .Values.databaseSchema | quote }}
  - name: BASE_URL
    value: {{ .Values.baseUrl | quote }}
  - name: MEDIA_STORE
    value: {{ .Values.mediaStore | quote }}
  {{- with .Values.trustedProxies }}
  - name: TRUSTED_PROXIES
    value: {{ . | quote }}
  {{- end }}
  {{- range $name, $value := .Values.env }}
  - name: {{ $name }}
    value: {{ $value | quote }}
  {{- end }}
{{- end -}}

{{- define "vitrine.databaseCaMount" -}}
{{- if .Values.databaseCa -}}
- name: database-ca
  mountPath: /etc/vitrine/database
  readOnly: true
{{- end -}}
{{- end -}}

{{- define "vitrine.databaseCaVolume" -}}
{{- with .Values.databaseCa -}}
- name: database-ca
  configMap:
    name: {{ . }}
{{- end -}}
{{- end -}}

{{/* A serving pod's container apart from its command. A new process migrates and reads the chain's head before it answers. */}}
{{- define "vitrine.serving" -}}
{{ include "vitrine.image" . }}
{{ include "vitrine.containerSecurity" . }}
{{ include "vitrine.environment" . }}
ports:
  - name: http
    containerPort: 42069
startupProbe:
  httpGet:
    path: /livez
    port: http
  periodSeconds: 2
  failureThreshold: 150
livenessProbe:
  httpGet:
    path: /livez
    port: http
  periodSeconds: 10
  timeoutSeconds: 5
readinessProbe:
  httpGet:
    path: /ready
    port: http
  periodSeconds: 5
  timeoutSeconds: 5
# The service's endpoints forget the pod before it stops.
lifecycle:
  preStop:
    exec:
      command: ["sleep", "5"]
volumeMounts:
  - name: collections
    mountPath: /app/collections.json
    subPath: collections.json
    readOnly: true
  - name: data
    mountPath: /data
  - name: temporary
    mountPath: /tmp
  - name: ponder
    mountPath: /app/.ponder
  - name: generated
    mountPath: /app/generated
  {{- if .Values.mediaClaim }}
  - name: media
    mountPath: /media
  {{- end }}
  {{- include "vitrine.databaseCaMount" . | nindent 2 }}
{{- end -}}

{{- define "vitrine.volumes" -}}
volumes:
  - name: collections
    configMap:
      name: {{ include "vitrine.name" . }}
  - name: data
    emptyDir: {}
  - name: temporary
    emptyDir: {}
  - name: ponder
    emptyDir: {}
  - name: generated
    emptyDir: {}
  {{- with .Values.mediaClaim }}
  - name: media
    persistentVolumeClaim:
      claimName: {{ . }}
  {{- end }}
  {{- include "vitrine.databaseCaVolume" . | nindent 2 }}
{{- end -}}

{{/* Pods start anew when the collections change. */}}
{{- define "vitrine.podAnnotations" -}}
annotations:
  checksum/collections: {{ .Values.collections | toJson | sha256sum }}
  {{- with .Values.podAnnotations }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
