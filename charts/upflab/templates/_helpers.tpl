{{- /* What pods are found by. It never changes: a change would end what runs. */}}
{{- define "upflab.identity" -}}
app.kubernetes.io/name: upflab
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end }}

{{- define "upflab.labels" -}}
{{ include "upflab.identity" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "upflab.hub" -}}
{{ .Release.Name }}-hub
{{- end }}

{{- define "upflab.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . | quote }}
{{- end }}
{{- end }}
{{- end }}

{{- define "upflab.image" -}}
image: {{ required "image.name: name an image with upflab; `make release` writes one" .Values.image.name | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
terminationMessagePolicy: FallbackToLogsOnError
{{- end }}
