package session

import (
	"context"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

func TestLostBy(t *testing.T) {
	now := metav1.NewTime(time.Now())
	for story, c := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"runs":    {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning}}, ""},
		"gone":    {nil, "was deleted"},
		"deleted": {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now}}, "was deleted"},
		"evicted": {&corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &now},
			Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.DisruptionTarget,
				Status: corev1.ConditionTrue, Reason: "EvictionByEvictionAPI", Message: "Eviction API: evicting"}}}},
			"was ended by the cluster: EvictionByEvictionAPI: Eviction API: evicting"},
		"the node's memory": {&corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted",
			Message: "The node was low on resource: memory."}}, "was ended by the cluster: Evicted The node was low"},
		"its own memory": {&corev1.Pod{Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			State: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Reason: "OOMKilled"}}}}}},
			"needed more memory than its limit"},
	} {
		if got := lostBy(c.pod); got != c.want && (c.want == "" || !strings.HasPrefix(got, c.want)) {
			t.Errorf("%s: %q", story, got)
		}
	}
}

// TestPodDeleted: a pod that somebody deletes in mid-run is named, and nothing stays.
func TestPodDeleted(t *testing.T) {
	c := newCluster(t)
	c.deleted = "sink"
	s, _ := c.session(t, apart, "quick")
	status, err := s.Run(context.Background())
	if status != 3 || err == nil || !strings.Contains(err.Error(), "-sink-x was deleted") || strings.Contains(err.Error(), "generator-0") {
		t.Errorf("status %d: %v", status, err)
	}
	c.nothingLeft(t)
}
