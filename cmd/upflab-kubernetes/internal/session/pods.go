package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/objects"
	"github.com/upflab/upflab/internal/results/podlog"
	"github.com/upflab/upflab/internal/results/store"
	"github.com/upflab/upflab/internal/text/printable"
)

// pods are those of a run, of one role or of all.
func (r *reading) pods(ctx context.Context, run, role string) ([]corev1.Pod, error) {
	selector := objects.RunLabel + "=" + run
	if role != "" {
		selector += "," + objects.RoleLabel + "=" + role
	}
	list, err := r.Core.CoreV1().Pods(r.plan.Namespace).List(ctx, metav1.ListOptions{LabelSelector: selector})
	if err != nil {
		return nil, fmt.Errorf("look for the pods of the run: %w", err)
	}
	return list.Items, nil
}

// pod finds one of the run by its name.
func (s *Session) pod(ctx context.Context, name string) (*corev1.Pod, error) {
	list, err := s.pods(ctx, s.maker.Run, "")
	if err != nil {
		return nil, err
	}
	for i := range list {
		if list[i].Name == name {
			return &list[i], nil
		}
	}
	return nil, fmt.Errorf("the pod %s is gone", name)
}

func ended(p *corev1.Pod) bool {
	return p.Status.Phase == corev1.PodFailed || p.Status.Phase == corev1.PodSucceeded
}

// running waits until the pod of a role runs, or has ended.
func (s *Session) running(ctx context.Context, role string) (*corev1.Pod, error) {
	limited, stop := context.WithTimeout(ctx, s.plan.StartWithin.Duration)
	defer stop()
	why, pod := "the job controller has made no pod: does kube-controller-manager run?", ""
	for {
		list, err := s.pods(limited, s.maker.Run, role)
		if err != nil && limited.Err() == nil {
			return nil, err
		}
		for i := range list {
			p := &list[i]
			if ended(p) || p.Status.Phase == corev1.PodRunning && p.Status.PodIP != "" {
				s.started = append(s.started, p.Name)
				return p, nil
			}
			pod = p.Name
			if why = waiting(p); hopeless(p) {
				return nil, fmt.Errorf("the pod of %s cannot start: %s", role, why)
			}
		}
		if len(list) == 0 && err == nil {
			if refused := s.refused(limited, role); refused != "" {
				return nil, fmt.Errorf("the cluster does not allow the pod of %s: %s", role, refused)
			}
		}
		select {
		case <-limited.Done():
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			return nil, fmt.Errorf("the pod of %s did not start within %s: %s", role, s.plan.StartWithin.Duration, s.withWarning(ctx, pod, why))
		case <-time.After(s.poll):
		}
	}
}

// waiting says why a pod does not run yet.
func waiting(p *corev1.Pod) string {
	for _, c := range p.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil {
			return strings.TrimSpace(w.Reason + " " + w.Message)
		}
	}
	for _, c := range p.Status.Conditions {
		if c.Status == corev1.ConditionFalse && c.Message != "" {
			return unschedulable(c.Message)
		}
	}
	return "it is " + strings.ToLower(string(p.Status.Phase))
}

// unschedulable is what the scheduler says, without what it says of preemption, and with what
// can be done about huge pages.
func unschedulable(message string) string {
	message, _, _ = strings.Cut(message, " no new claims to deallocate")
	message, _, _ = strings.Cut(message, " preemption:")
	if strings.Contains(message, "Insufficient hugepages-") {
		message = strings.TrimSuffix(message, ".") + ": reserve huge pages on the node (vm.nr_hugepages) and restart its kubelet"
	}
	return message
}

// hopeless reports whether waiting is of no use.
func hopeless(p *corev1.Pod) bool {
	for _, c := range p.Status.ContainerStatuses {
		if w := c.State.Waiting; w != nil {
			switch w.Reason {
			case "ErrImageNeverPull", "InvalidImageName", "ImagePullBackOff", "CreateContainerConfigError", "CreateContainerError":
				return true
			}
		}
	}
	return false
}

// refused says why the job controller was not allowed to make a pod: admission refuses pods,
// not jobs. "": nothing says so.
func (s *Session) refused(ctx context.Context, role string) string {
	list, err := s.Core.CoreV1().Events(s.plan.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=Job"})
	if err != nil {
		return ""
	}
	for _, e := range list.Items {
		if e.Reason == "FailedCreate" && e.InvolvedObject.Kind == "Job" &&
			strings.HasPrefix(e.InvolvedObject.Name, s.maker.Name("")) && strings.Contains(e.InvolvedObject.Name, role) {
			return podSecurity(e.Message)
		}
	}
	return ""
}

// withWarning adds to why a pod does not run what the kubelet warned of last: a pod that waits for
// its network or a volume says no more than ContainerCreating.
func (s *Session) withWarning(ctx context.Context, pod, why string) string {
	list, err := s.Core.CoreV1().Events(s.plan.Namespace).List(ctx, metav1.ListOptions{FieldSelector: "involvedObject.kind=Pod"})
	if err != nil || pod == "" {
		return why
	}
	var last corev1.Event
	for _, e := range list.Items {
		if e.Type == corev1.EventTypeWarning && e.InvolvedObject.Name == pod && e.Reason != "FailedScheduling" &&
			!e.LastTimestamp.Before(&last.LastTimestamp) {
			last = e
		}
	}
	if last.Message == "" {
		return why
	}
	return why + ": " + last.Reason + ": " + last.Message
}

// podSecurity adds to Pod Security's refusal what can be done.
func podSecurity(message string) string {
	if _, rest, found := strings.Cut(message, "violates PodSecurity "); found {
		return "the namespace's Pod Security level forbids it, since generators and sinks load XDP programs and a " +
			"lead that starts a UPF makes network namespaces: " +
			"label the namespace pod-security.kubernetes.io/enforce=privileged, or use one that is; the level and what is against it: " + rest
	}
	return message
}

// explainEnd adds what became of the pod to why its log ended.
func (s *Session) explainEnd(ctx context.Context, err error) error {
	list, failed := s.pods(ctx, s.maker.Run, "")
	if failed != nil {
		return err
	}
	for _, p := range list {
		for _, c := range p.Status.ContainerStatuses {
			if t := c.State.Terminated; t != nil && t.Reason != "Completed" && t.Reason != "Error" {
				return fmt.Errorf("%w: pod %s: %s %s", err, p.Name, t.Reason, t.Message)
			}
		}
		if p.Status.Reason != "" {
			return fmt.Errorf("%w: pod %s: %s %s", err, p.Name, p.Status.Reason, p.Status.Message)
		}
	}
	return err
}

// follow shows what the run says, and takes the result when it comes. It gives the rest of
// the log, and the exit status.
func (s *Session) follow(ctx context.Context, pod string) (log string, status int, err error) {
	r, err := s.Logs(ctx, pod, true)
	if err != nil {
		return "", 0, fmt.Errorf("read the log of %s: %w", pod, err)
	}
	defer r.Close()
	var said, result bytes.Buffer
	within := false
	lines := bufio.NewReader(r)
	for {
		line, err := lines.ReadString('\n')
		switch text := strings.TrimSuffix(line, "\n"); {
		case text == podlog.Begin:
			within = true
			fallthrough
		case within:
			result.WriteString(line)
			if text == podlog.End {
				status, err := s.unpack(result.Bytes(), pod)
				return said.String(), status, err
			}
		default:
			said.WriteString(line)
			if text != "" && !strings.HasPrefix(text, podFacts) {
				fmt.Fprintln(s.out, printable.Only(text, ' ', "\t"))
			}
		}
		if err != nil {
			if ctx.Err() != nil {
				return "", 0, ctx.Err()
			}
			if errors.Is(err, io.EOF) {
				err = errors.New("the log ended without a result")
			}
			return "", 0, fmt.Errorf("read the log of %s: %w", pod, err)
		}
	}
}

// unpack takes the files of a result that runs write, and names the others.
func (s *Session) unpack(result []byte, pod string) (status int, err error) {
	var files store.Receiver
	status, err = podlog.Read(result, s.work.Out, files.Takes)
	if left := files.Refused(); left != "" {
		s.say("not kept of pod %s, because runs write no such files: %s", pod, left)
	}
	return status, err
}
