{{- define "upflab.labels" -}}
app.kubernetes.io/name: upflab
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "upflab.pod" -}}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
{{- range . }}
- name: {{ . }}
{{- end }}
{{- end }}
{{- end }}

{{- define "upflab.image" -}}
image: {{ required "image.name: name an image with upflab; `make release` writes one" .Values.image.name | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
{{- end }}
