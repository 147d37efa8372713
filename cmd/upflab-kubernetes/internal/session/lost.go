package session

import (
	"context"
	"errors"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
)

// lostPods says which pods of the run others removed or the cluster ended, and why as far as it
// says; nil: none. It is asked when a run has failed: the lead only knows that it was interrupted,
// or that a host does not answer.
func (s *Session) lostPods(ctx context.Context) error {
	list, err := s.pods(ctx, s.maker.Run, "")
	if err != nil || ctx.Err() != nil {
		return nil // the run's failure is the news
	}
	there := map[string]*corev1.Pod{}
	for i := range list {
		there[list[i].Name] = &list[i]
	}
	var lost []string
	for _, name := range s.started {
		if why := lostBy(there[name]); why != "" {
			lost = append(lost, "pod "+name+" "+why)
		}
	}
	if len(lost) == 0 {
		return nil
	}
	return errors.New("the run lost some of its pods: " + strings.Join(lost, "; ") + ": repeat it where nothing removes its pods")
}

// lostBy says how a pod was lost; "": it was not. nil is a pod that is gone.
func lostBy(p *corev1.Pod) string {
	if p == nil {
		return "was deleted"
	}
	for _, c := range p.Status.Conditions {
		if c.Type == corev1.DisruptionTarget && c.Status == corev1.ConditionTrue {
			return fmt.Sprintf("was ended by the cluster: %s: %s", c.Reason, c.Message)
		}
	}
	for _, c := range p.Status.ContainerStatuses {
		if t := c.State.Terminated; t != nil && t.Reason == "OOMKilled" {
			return "needed more memory than its limit"
		}
	}
	switch {
	case p.DeletionTimestamp != nil:
		return "was deleted"
	case p.Status.Reason != "":
		return strings.TrimSpace("was ended by the cluster: " + p.Status.Reason + " " + p.Status.Message)
	}
	return ""
}
