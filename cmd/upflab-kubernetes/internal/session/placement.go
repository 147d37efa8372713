package session

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/objects"
	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
	"github.com/upflab/upflab/internal/record"
	"github.com/upflab/upflab/internal/text/safefile"
)

// podFacts begins the line with which a pod describes itself.
const podFacts = "upflab-pod "

// ClusterFile is where the result has where its pods were.
const ClusterFile = "cluster.json"

// statusAnnotation is where Multus writes what it gave a pod.
const statusAnnotation = "k8s.v1.cni.cncf.io/network-status"

// writeCluster writes down where the pods were and what they had. leadLog is what the lead
// said.
func (s *Session) writeCluster(ctx context.Context, leadLog string) error {
	c := record.Cluster{Namespace: s.plan.Namespace, Made: s.made}
	if v, err := s.Core.Discovery().ServerVersion(); err == nil {
		c.Version = v.GitVersion
	}
	list, err := s.pods(ctx, s.maker.Run, "")
	if err != nil {
		return err
	}
	for i := range list {
		p := describe(&list[i], objects.Container)
		p.Role = roleOf(list[i].Labels[objects.RoleLabel])
		log := leadLog
		if p.Role != record.RoleLead {
			log = s.log(ctx, p.Name)
		}
		p.Inside = inside(log)
		c.Pods = append(c.Pods, p)
	}
	if s.upf != nil {
		p := describe(&s.upf.pod, s.plan.UPF.Container)
		p.Role = record.RoleUPF
		c.Pods = append(c.Pods, p)
	}
	c.Nodes, c.Unread = s.nodes(ctx, c.Pods)
	c.Networks = s.networks(ctx)
	b, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return err
	}
	return safefile.Write(filepath.Join(s.work.Out, ClusterFile), append(b, '\n'), 0o644)
}

// roleOf is the role of a testbed: generator-0 is a generator.
func roleOf(label string) string {
	if strings.HasPrefix(label, record.RoleGenerator) {
		return record.RoleGenerator
	}
	return label
}

// describe is what the API shows of a pod. container is whose resources count; "": the first.
func describe(p *corev1.Pod, container string) record.Pod {
	d := record.Pod{Name: p.Name, Namespace: p.Namespace, Node: p.Spec.NodeName, IP: p.Status.PodIP,
		HostNetwork: p.Spec.HostNetwork, QoS: string(p.Status.QOSClass),
		Interfaces: interfaces(p)}
	for i, c := range p.Spec.Containers {
		if c.Name == container || container == "" && i == 0 {
			d.Image, d.Requests, d.Limits = c.Image, texts(c.Resources.Requests), texts(c.Resources.Limits)
			container = c.Name
		}
	}
	for _, c := range p.Status.ContainerStatuses {
		if c.Name != container {
			continue
		}
		d.ImageID = c.ImageID
		if r := c.State.Running; r != nil {
			d.StartSeconds = r.StartedAt.Sub(p.CreationTimestamp.Time).Seconds()
		} else if t := c.State.Terminated; t != nil {
			d.StartSeconds = t.StartedAt.Sub(p.CreationTimestamp.Time).Seconds()
		}
	}
	return d
}

func texts(list corev1.ResourceList) map[string]string {
	if len(list) == 0 {
		return nil
	}
	out := map[string]string{}
	for name, q := range list {
		out[string(name)] = q.String()
	}
	return out
}

// status is what Multus writes of an interface.
type status struct {
	Name       string   `json:"name"`
	Interface  string   `json:"interface"`
	IPs        []string `json:"ips"`
	MAC        string   `json:"mac"`
	DeviceInfo struct {
		PCI struct {
			Address string `json:"pci-address"`
		} `json:"pci"`
	} `json:"device-info"`
}

// interfaces are those that Multus gave a pod; none: it did not say.
func interfaces(p *corev1.Pod) (list []record.PodInterface) {
	var all []status
	if json.Unmarshal([]byte(p.Annotations[statusAnnotation]), &all) != nil {
		return nil
	}
	for _, i := range all {
		list = append(list, record.PodInterface{Name: i.Interface, Network: i.Name, MAC: i.MAC, Addresses: i.IPs,
			Device: i.DeviceInfo.PCI.Address})
	}
	return list
}

// inside is what a pod said of itself last.
func inside(log string) *record.PodInside {
	var found *record.PodInside
	for line := range strings.Lines(log) {
		text, is := strings.CutPrefix(line, podFacts)
		var p record.PodInside
		if is && json.Unmarshal([]byte(text), &p) == nil {
			found = &p
		}
	}
	return found
}

// hardware are the prefixes of labels that say what a node is.
var hardware = []string{"feature.node.kubernetes.io/cpu-", "feature.node.kubernetes.io/memory-", "feature.node.kubernetes.io/network-",
	"feature.node.kubernetes.io/kernel-", "node.kubernetes.io/instance-type", "topology.kubernetes.io/", "kubernetes.io/arch"}

// nodes reads those of the pods.
func (r *reading) nodes(ctx context.Context, pods []record.Pod) (list []record.Node, unread string) {
	seen := map[string]bool{}
	for _, p := range pods {
		if p.Node == "" || seen[p.Node] {
			continue
		}
		seen[p.Node] = true
		n, err := r.Core.CoreV1().Nodes().Get(ctx, p.Node, metav1.GetOptions{})
		if err != nil {
			return nil, err.Error()
		}
		i := n.Status.NodeInfo
		list = append(list, record.Node{Name: n.Name, Kernel: i.KernelVersion, OS: i.OSImage,
			Runtime: i.ContainerRuntimeVersion, Kubelet: i.KubeletVersion,
			Allocatable: texts(n.Status.Allocatable), Capacity: texts(n.Status.Capacity), Labels: hardwareLabels(n.Labels)})
	}
	return list, ""
}

func hardwareLabels(all map[string]string) map[string]string {
	list := map[string]string{}
	for name, value := range all {
		for _, prefix := range hardware {
			if strings.HasPrefix(name, prefix) {
				list[name] = value
			}
		}
	}
	return list
}

// definitions are the networks of Multus.
var definitions = schema.GroupVersionResource{Group: "k8s.cni.cncf.io", Version: "v1", Resource: "network-attachment-definitions"}

// networks reads what makes the networks of the pods.
func (r *reading) networks(ctx context.Context) (list []record.PodNetwork) {
	pods := []plan.Pod{r.plan.Hub, r.plan.Lead.Pod}
	for _, h := range r.plan.Hosts() {
		pods = append(pods, h.Pod)
	}
	seen := map[string]bool{}
	for _, p := range pods {
		for _, n := range p.Networks {
			space, name := plan.SplitName(n.Name)
			if space == "" {
				space = r.plan.Namespace
			}
			if whole := space + "/" + name; !seen[whole] {
				seen[whole] = true
				list = append(list, r.network(ctx, space, name))
			}
		}
	}
	return list
}

func (r *reading) network(ctx context.Context, space, name string) record.PodNetwork {
	n := record.PodNetwork{Name: space + "/" + name}
	o, err := r.Dynamic.Resource(definitions).Namespace(space).Get(ctx, name, metav1.GetOptions{})
	if err != nil {
		n.Unread = err.Error()
		return n
	}
	spec, _ := o.Object["spec"].(map[string]any)
	n.Config, _ = spec["config"].(string)
	n.Type = pluginOf(n.Config)
	return n
}

// pluginOf is the CNI plugin of a network's configuration, the first of a chain.
func pluginOf(config string) string {
	var c struct {
		Type    string `json:"type"`
		Plugins []struct {
			Type string `json:"type"`
		} `json:"plugins"`
	}
	if json.Unmarshal([]byte(config), &c) != nil {
		return ""
	}
	if c.Type == "" && len(c.Plugins) > 0 {
		return c.Plugins[0].Type
	}
	return c.Type
}
