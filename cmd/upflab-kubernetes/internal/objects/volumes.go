package objects

import (
	"strings"

	corev1 "k8s.io/api/core/v1"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
)

func mount(spec *corev1.PodSpec, name, path string, source corev1.VolumeSource, readOnly bool) {
	spec.Volumes = append(spec.Volumes, corev1.Volume{Name: name, VolumeSource: source})
	c := &spec.Containers[0]
	c.VolumeMounts = append(c.VolumeMounts, corev1.VolumeMount{Name: name, MountPath: path, ReadOnly: readOnly})
}

// addFolder adds an empty folder that goes with the pod.
func addFolder(spec *corev1.PodSpec, name, path string) {
	mount(spec, name, path, corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}, false)
}

// addSecret adds files of a Secret; nil: all of it.
func addSecret(spec *corev1.PodSpec, name string, files []string) {
	mode := int32(0o400)
	s := &corev1.SecretVolumeSource{SecretName: name, DefaultMode: &mode}
	for _, f := range files {
		s.Items = append(s.Items, corev1.KeyToPath{Key: f, Path: f})
	}
	mount(spec, "keys", KeysPath, corev1.VolumeSource{Secret: s}, true)
}

// addHugepages mounts huge pages where the pod asks for them.
func addHugepages(spec *corev1.PodSpec, p plan.Pod) {
	for name := range p.Resources {
		if size, huge := strings.CutPrefix(name, corev1.ResourceHugePagesPrefix); huge {
			mount(spec, "hugepages-"+strings.ToLower(size), "/dev/hugepages-"+size,
				corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumHugePagesPrefix +
					corev1.StorageMedium(size)}}, false)
		}
	}
}
