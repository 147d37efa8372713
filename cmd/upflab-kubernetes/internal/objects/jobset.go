package objects

import (
	batchv1 "k8s.io/api/batch/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// JobSets is the resource of JobSet.
var JobSets = schema.GroupVersionResource{Group: "jobset.x-k8s.io", Version: "v1alpha2", Resource: "jobsets"}

// JobSet has jobs run as one: when one of them fails all end, and none is repeated.
func (m Maker) JobSet(jobs []*batchv1.Job) (*unstructured.Unstructured, error) {
	var replicated []any
	for _, j := range jobs {
		spec := batchv1.JobTemplateSpec{Spec: j.Spec}
		template, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&spec)
		if err != nil {
			return nil, err
		}
		replicated = append(replicated, map[string]any{"name": j.Labels[RoleLabel], "replicas": int64(1), "template": template})
	}
	meta := m.meta(m.Name("hosts"), "")
	head, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&meta)
	if err != nil {
		return nil, err
	}
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": JobSets.GroupVersion().String(), "kind": "JobSet", "metadata": head,
		"spec": map[string]any{
			"replicatedJobs": replicated,
			"failurePolicy":  map[string]any{"maxRestarts": int64(0)},
			"network":        map[string]any{"enableDNSHostnames": false},
		},
	}}, nil
}
