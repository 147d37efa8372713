package session

import (
	"cmp"
	"context"
	"fmt"
	"net/netip"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/upflab/upflab/internal/record"
)

// foundUPF is a UPF of the cluster.
type foundUPF struct {
	pod        corev1.Pod
	n3, n4, n6 netip.Addr
	dialect    string
}

// findUPF finds the UPF by its labels; nil: the plan names none.
func (s *Session) findUPF(ctx context.Context) (*foundUPF, error) {
	u := s.plan.UPF
	if u == nil {
		return nil, nil
	}
	space := u.Namespace
	if space == "" {
		space = s.plan.Namespace
	}
	list, err := s.Core.CoreV1().Pods(space).List(ctx, metav1.ListOptions{LabelSelector: u.Selector})
	if err != nil {
		return nil, fmt.Errorf("look for the UPF: %w", err)
	}
	pod, err := theOne(list.Items, u.Selector, space)
	if err != nil {
		return nil, err
	}
	if err := answers(pod, u.Container); err != nil {
		return nil, err
	}
	f := &foundUPF{pod: *pod, dialect: u.Dialect}
	for _, at := range []struct {
		what, where string
		to          *netip.Addr
	}{{"upf.n3", u.N3, &f.n3}, {"upf.n6", u.N6, &f.n6}, {"upf.n4", u.N4, &f.n4}} {
		if *at.to, err = addressOf(pod, at.where); err != nil {
			return nil, fmt.Errorf("%s: %w", at.what, err)
		}
	}
	s.say("UPF       pod %s on node %s: N3 %s, N4 %s, N6 %s", pod.Name, pod.Spec.NodeName, f.n3, f.n4, f.n6)
	return f, nil
}

// theOne is the only pod that runs.
func theOne(list []corev1.Pod, selector, space string) (*corev1.Pod, error) {
	var names []string
	var found *corev1.Pod
	for i := range list {
		if list[i].Status.Phase == corev1.PodRunning && list[i].DeletionTimestamp == nil {
			found = &list[i]
			names = append(names, list[i].Name)
		}
	}
	switch {
	case len(names) == 0:
		return nil, fmt.Errorf("no pod with the labels %s runs in namespace %s (%d have them)", selector, space, len(list))
	case len(names) > 1:
		return nil, fmt.Errorf("%d pods in namespace %s have the labels %s (%s): a run measures one UPF; add "+
			"statefulset.kubernetes.io/pod-name=%s to upf.selector, or another label that one alone has",
			len(names), space, selector, strings.Join(names, ", "), names[0])
	}
	return found, nil
}

// answers refuses a UPF whose container does not run: that of a pod which is started again and
// again is in the phase Running, too. container "": the first.
func answers(p *corev1.Pod, container string) error {
	if container == "" && len(p.Spec.Containers) > 0 {
		container = p.Spec.Containers[0].Name
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != container || c.State.Running != nil {
			continue
		}
		why := "has ended"
		if w := c.State.Waiting; w != nil {
			why = "is waiting: " + w.Reason
		}
		return fmt.Errorf("the UPF of pod %s does not run: its container %s %s (started again %d times); `kubectl "+
			"--namespace %s logs %s --container %s --previous` shows what it said",
			p.Name, c.Name, why, c.RestartCount, p.Namespace, p.Name, c.Name)
	}
	return nil
}

// addressOf is the IPv4 address of an interface or network of a pod; where is its name, or an
// address; "": the pod's own.
func addressOf(p *corev1.Pod, where string) (netip.Addr, error) {
	if where == "" {
		where = p.Status.PodIP
	}
	if a, err := netip.ParseAddr(where); err == nil {
		return a, nil
	}
	var have []string
	for _, i := range interfaces(p) {
		have = append(have, fmt.Sprintf("%s (%s)", i.Name, i.Network))
		if !named(i, where, p.Namespace) {
			continue
		}
		for _, text := range i.Addresses {
			if a, err := netip.ParseAddr(text); err == nil && a.Is4() {
				return a, nil
			}
		}
		return netip.Addr{}, fmt.Errorf("%s of pod %s has no IPv4 address that its CNI plugin reports: name the address", where, p.Name)
	}
	if len(have) == 0 {
		return netip.Addr{}, fmt.Errorf("pod %s has no interfaces that Multus reports (annotation %s): name the "+
			"address in the place of %s", p.Name, statusAnnotation, where)
	}
	return netip.Addr{}, fmt.Errorf("pod %s has no interface or network %s; it has %s", p.Name, where, strings.Join(have, ", "))
}

func named(i record.PodInterface, where, namespace string) bool {
	return i.Name == where || i.Network == where || i.Network == namespace+"/"+where
}

// settings of the scenario that follow from the UPF.
func (f *foundUPF) settings() (list []string) {
	if f == nil {
		return nil
	}
	list = append(list, "n3.upf="+f.n3.String(), "n4.upf="+f.n4.String(), "n6.upf="+f.n6.String())
	return append(list, "external.dialect="+cmp.Or(f.dialect, "standard"))
}
