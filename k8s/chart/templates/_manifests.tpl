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

{{/* The settings in the ConfigMap, as YAML */}}
{{- define "crs-eval.settings" -}}
{{- $files := list "base/configmap.yaml" }}
{{- if .Values.redis.enabled }}
{{- $files = append $files "components/redis/url.yaml" }}
{{- if .Values.redis.tls }}
{{- $files = append $files "components/redis-tls/url.yaml" }}
{{- end }}
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
