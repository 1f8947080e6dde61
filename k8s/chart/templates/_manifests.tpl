{{/*
Manifests are read from base/ and components/, the files that kustomize reads too. What is called crs-eval there is
called after the release here.
*/}}

{{/* (list $ FILE): a manifest, as YAML */}}
{{- define "crs-eval.read" -}}
{{- $root := index . 0 }}
{{- $file := index . 1 }}
{{- required (printf "%s is not in the chart" $file) ($root.Files.Get $file) | replace "crs-eval" $root.Release.Name }}
{{- end }}

{{/* (list POD PATCH): write a patch of a pod, as components/ have them, into the pod. Lists that Kubernetes merges by name grow. */}}
{{- define "crs-eval.patch" -}}
{{- $pod := index . 0 }}
{{- $patch := index . 1 }}
{{- $container := first $pod.containers }}
{{- $change := first (default (list dict) $patch.containers) }}
{{- range tuple "env" "envFrom" "volumeMounts" }}
{{- if hasKey $change . }}
{{- $_ := set $container . (concat (default list (get $container .)) (get $change .)) }}
{{- end }}
{{- end }}
{{- $_ := mergeOverwrite $container (omit $change "name" "env" "envFrom" "volumeMounts") }}
{{- if $patch.volumes }}
{{- $_ := set $pod "volumes" (concat (default list $pod.volumes) $patch.volumes) }}
{{- end }}
{{- $_ := mergeOverwrite $pod (omit $patch "containers" "volumes") }}
{{- end }}

{{/* (list $ POD FILE): the same with a file of a patch */}}
{{- define "crs-eval.patchFrom" -}}
{{- $file := include "crs-eval.read" (list (index . 0) (index . 2)) | fromYaml }}
{{- $_ := include "crs-eval.patch" (list (index . 1) $file.spec.template.spec) }}
{{- end }}

{{/*
(dict root FILE's manifest as `deployment`, values as `of`, `patches`, `given`): the Deployment with what values say of its pods,
as YAML. A change of `given` starts new pods.
*/}}
{{- define "crs-eval.deployment" -}}
{{- $root := .root }}
{{- $deployment := .deployment }}
{{- $pod := $deployment.spec.template.spec }}
{{- range .patches }}
{{- include "crs-eval.patchFrom" (list $root $pod .) }}
{{- end }}
{{- with $root.Values.image.pullSecrets }}
{{- $_ := set $pod "imagePullSecrets" . }}
{{- end }}
{{- $_ := include "crs-eval.patch" (list $pod (mergeOverwrite (dict "containers" (list .of.container)) .of.pod)) }}
{{- $_ := set $deployment.spec.template.metadata "annotations" (merge (dict "checksum/settings" (sha256sum .given)) .of.podAnnotations) }}
{{- toYaml $deployment }}
{{- end }}

{{/* (list $ POD): write the image and the Secret of keys that values name into a pod of ours. */}}
{{- define "crs-eval.ours" -}}
{{- $root := index . 0 }}
{{- $container := first (index . 1).containers }}
{{- $tag := printf ":%s" (default $root.Chart.AppVersion $root.Values.image.tag) }}
{{- if $root.Values.image.digest }}
{{- $tag = printf "@%s" $root.Values.image.digest }}
{{- end }}
{{- $_ := set $container "image" (print $root.Values.image.repository $tag) }}
{{- if $root.Values.keys.secret }}
{{- $_ := set (index $container.envFrom 1).secretRef "name" $root.Values.keys.secret }}
{{- end }}
{{- end }}

{{/* (list $ FILE VALUES): the autoscaler in a file, with the bounds that values name, as YAML */}}
{{- define "crs-eval.scaler" -}}
{{- $scaler := include "crs-eval.read" (list (index . 0) (index . 1)) | fromYaml }}
{{- $values := index . 2 }}
{{- with $values.minReplicas }}
{{- $_ := set $scaler.spec "minReplicas" . }}
{{- end }}
{{- with $values.maxReplicas }}
{{- $_ := set $scaler.spec "maxReplicas" . }}
{{- end }}
{{- $metric := first $scaler.spec.metrics }}
{{- with $values.target }}
{{- if $metric.resource }}
{{- $_ := set $metric.resource.target "averageUtilization" . }}
{{- else }}
{{- $_ := set $metric.pods.target "averageValue" (toString .) }}
{{- end }}
{{- end }}
{{- toYaml $scaler }}
{{- end }}

{{/* The settings in the ConfigMap, as YAML */}}
{{- define "crs-eval.settings" -}}
{{- $files := list "base/configmap.yaml" }}
{{- if .Values.redis.enabled }}
{{- $files = append $files "components/redis/url.yaml" }}
{{- if .Values.redis.tls }}
{{- $files = append $files "components/redis-tls/url.yaml" }}
{{- end }}
{{- end }}
{{- if or .Values.redis.tls .Values.redis.ca }}
{{- $files = append $files "components/redis-ca/settings.yaml" }}
{{- end }}
{{- if .Values.production }}
{{- $files = append $files "components/production/settings.yaml" }}
{{- end }}
{{- $settings := dict }}
{{- range $file := $files }}
{{- $settings = mergeOverwrite $settings (include "crs-eval.read" (list $ $file) | fromYaml).data }}
{{- end }}
{{- range $name, $value := .Values.settings }}
{{- $_ := set $settings $name (toString $value) }}
{{- end }}
{{- toYaml $settings }}
{{- end }}
