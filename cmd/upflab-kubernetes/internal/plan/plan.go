// Package plan is the file that says which pods of a run are where: kubernetes.yaml.
package plan

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"sigs.k8s.io/yaml"

	"github.com/upflab/upflab/internal/text/plainyaml"
)

// Plan says which pods of a run are where.
type Plan struct {
	// Context of the kubeconfig; "": the current one.
	Context string `json:"context,omitempty"`
	// Namespace of the pods. It has to exist. "": that of the context.
	Namespace string `json:"namespace,omitempty"`
	// Image has upflab as its entry point.
	Image       string            `json:"image"`
	PullPolicy  corev1.PullPolicy `json:"imagePullPolicy,omitempty"`
	PullSecrets []string          `json:"imagePullSecrets,omitempty"`
	// Limit is how long a run may take at most; 0: an hour.
	Limit metav1.Duration `json:"limit,omitempty"`
	// StartWithin is how long a pod may take until it runs; 0: two minutes.
	StartWithin metav1.Duration `json:"startWithin,omitempty"`

	// Lead runs the measurement: the SMF, the UPF unless one is found, and without Generators
	// all else, too.
	Lead Lead `json:"lead"`
	// Generators and Sink are other pods that send and receive.
	Generators []Host `json:"generators,omitempty"`
	Sink       *Host  `json:"sink,omitempty"`
	// Hub is where these meet; it needs no device and next to no CPU.
	Hub Pod `json:"hub,omitempty"`
	// UPF is one that runs in the cluster; nil: the lead starts it, or it is elsewhere.
	UPF *UPF `json:"upf,omitempty"`
}

// Pod is what is asked for a pod.
type Pod struct {
	Node         string              `json:"node,omitempty"` // by name; "": the scheduler's choice
	NodeSelector map[string]string   `json:"nodeSelector,omitempty"`
	Tolerations  []corev1.Toleration `json:"tolerations,omitempty"`
	HostNetwork  bool                `json:"hostNetwork,omitempty"`
	// Networks of Multus, NAMESPACE/NAME or NAME, each with "@DEVICE" for its name in the pod;
	// else they are net1, net2 ...
	Networks []Network `json:"networks,omitempty"`
	// CPUs, Memory and Resources (hugepages-1Gi, intel.com/sriov ...) are requested and are the
	// limit, too, which makes the pod of class Guaranteed. None: class BestEffort.
	CPUs      string            `json:"cpus,omitempty"`
	Memory    string            `json:"memory,omitempty"`
	Resources map[string]string `json:"resources,omitempty"`
	// Privileged pods may all that the node's root may. Unset: only a lead that starts a UPF is.
	Privileged *bool `json:"privileged,omitempty"`
}

// Network is one of Multus.
type Network struct {
	Name   string   `json:"name"`             // NAMESPACE/NAME or NAME
	Device string   `json:"device,omitempty"` // in the pod
	IPs    []string `json:"ips,omitempty"`    // asked of its IPAM, with their prefix length
	MAC    string   `json:"mac,omitempty"`
}

// Lead is the pod of the measurement.
type Lead struct {
	Pod
	// N3 and N6 are its devices: with Generators those of the UPF that it starts, else those
	// that lead to a UPF that runs elsewhere. "": all is in namespaces of the pod.
	N3 string `json:"n3,omitempty"`
	N6 string `json:"n6,omitempty"`
	// N4 is the device from which it reaches a UPF that is found; "": eth0, the pod's own.
	N4 string `json:"n4,omitempty"`
}

// Host is a pod that sends or receives.
type Host struct {
	Pod
	Device   string `json:"device"`
	SendCPUs string `json:"sendCPUs,omitempty"` // "2,3" or "0-3"; "": upflab chooses one
}

// UPF is a UPF in the cluster.
type UPF struct {
	Selector  string `json:"selector"`            // of its pod's labels
	Namespace string `json:"namespace,omitempty"` // "": the run's
	Container string `json:"container,omitempty"` // whose limits count; "": the first
	// N3, N6 and N4 are interfaces or networks of the pod, or addresses. N4 "": the pod's own
	// address.
	N3 string `json:"n3"`
	N6 string `json:"n6"`
	N4 string `json:"n4,omitempty"`
	// Dialect of its N4, as external.dialect.
	Dialect string `json:"dialect,omitempty"`
}

// Read reads and checks a file.
func Read(path string) (*Plan, error) {
	b, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("read which pods are to run where: %w; docs/kubernetes.md has examples", err)
	}
	p, err := Parse(b)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return p, nil
}

// Parse reads and checks a plan.
func Parse(b []byte) (*Plan, error) {
	p := &Plan{}
	if err := plainyaml.Check(b, plainyaml.Small); err != nil {
		return nil, err
	}
	if err := yaml.UnmarshalStrict(b, p); err != nil {
		return nil, errors.New(strings.TrimPrefix(err.Error(), "error unmarshaling JSON: while decoding JSON: "))
	}
	if p.Limit.Duration == 0 {
		p.Limit.Duration = time.Hour
	}
	if p.StartWithin.Duration == 0 {
		p.StartWithin.Duration = 2 * time.Minute
	}
	if p.UPF != nil && p.UPF.Namespace == "" {
		p.UPF.Namespace = p.Namespace
	}
	return p, p.check()
}

func (p *Plan) check() error {
	switch {
	case p.Image == "":
		return errors.New("image: name an image with upflab; `make release` writes one")
	case (len(p.Generators) > 0) != (p.Sink != nil):
		return errors.New("generators and sink go together: without both the lead sends and receives")
	case p.Apart() && p.UPF == nil && (p.Lead.N3 == "" || p.Lead.N6 == ""):
		return errors.New("lead.n3 and lead.n6: name the devices that are the UPF's, since generators and sink are other pods")
	case !p.Apart() && (p.Lead.N3 == "") != (p.Lead.N6 == ""):
		return errors.New("lead.n3 and lead.n6 go together")
	case p.UPF != nil && p.Lead.HostNetwork && p.Lead.N4 == "":
		return errors.New("lead.n4: name the node's device from which the UPF's N4 is reached, since the lead has the node's network")
	case !p.Apart() && p.UPF != nil && p.Lead.N3 == "":
		return errors.New("lead.n3 and lead.n6: name the devices that lead to the UPF, or give generators and a sink")
	}
	for i, h := range p.Hosts() {
		if h.Device == "" {
			return fmt.Errorf("%s: device: name the one that sends and receives", p.HostName(i))
		}
	}
	if p.UPF != nil {
		if err := p.UPF.check(); err != nil {
			return err
		}
	}
	return p.checkResources()
}

func (u *UPF) check() error {
	if s, err := labels.Parse(u.Selector); err != nil || s.Empty() {
		return fmt.Errorf("upf.selector %q: write labels of the UPF's pod, as app=upf", u.Selector)
	}
	if u.N3 == "" || u.N6 == "" {
		return errors.New("upf.n3 and upf.n6: name the interfaces of the UPF's pod, their networks or addresses")
	}
	return nil
}

func (p *Plan) checkResources() error {
	pods := map[string]Pod{"lead": p.Lead.Pod, "hub": p.Hub}
	for i, h := range p.Hosts() {
		pods[p.HostName(i)] = h.Pod
	}
	for name, pod := range pods {
		for what, text := range pod.quantities() {
			if _, err := resource.ParseQuantity(text); err != nil {
				return fmt.Errorf("%s: %s %q is no quantity, as 2 or 512Mi", name, what, text)
			}
		}
		if (pod.CPUs == "") != (pod.Memory == "") {
			return fmt.Errorf("%s: set cpus and memory both, or neither: only a pod with both gets the QoS class "+
				"Guaranteed, and exclusive CPUs", name)
		}
	}
	return nil
}

func (p Pod) quantities() map[string]string {
	list := map[string]string{}
	for name, text := range p.Resources {
		list[name] = text
	}
	if p.CPUs != "" {
		list["cpu"] = p.CPUs
	}
	if p.Memory != "" {
		list["memory"] = p.Memory
	}
	return list
}

// Quantities are the pod's resources.
func (p Pod) Quantities() corev1.ResourceList {
	list := corev1.ResourceList{}
	for name, text := range p.quantities() {
		list[corev1.ResourceName(name)] = resource.MustParse(text) // checked
	}
	return list
}

// Apart reports whether other pods than the lead send and receive.
func (p *Plan) Apart() bool { return p.Sink != nil }

// Hosts are the generators, then the sink.
func (p *Plan) Hosts() (list []Host) {
	list = append(list, p.Generators...)
	if p.Sink != nil {
		list = append(list, *p.Sink)
	}
	return list
}

// HostName is the name of a host's testbed: generator-0 ..., sink.
func (p *Plan) HostName(i int) string {
	if i == len(p.Generators) {
		return "sink"
	}
	return fmt.Sprintf("generator-%d", i)
}

// BestEffort are the pods that measure and ask for no CPU: the kernel gives them what others on
// the node leave.
func (p *Plan) BestEffort() (names []string) {
	if p.Lead.CPUs == "" {
		names = append(names, "lead")
	}
	for i, h := range p.Hosts() {
		if h.CPUs == "" {
			names = append(names, p.HostName(i))
		}
	}
	return names
}

// Settings are those of the scenario that follow from the plan.
func (p *Plan) Settings() (list []string) {
	if !p.Apart() {
		if p.Lead.N3 != "" {
			list = append(list, "external.n3_interface="+p.Lead.N3, "external.n6_interface="+p.Lead.N6)
		}
		return list
	}
	var ports []string
	for i, h := range p.Hosts() {
		port := p.HostName(i) + ":" + h.Device
		if h.SendCPUs != "" {
			port += "@" + h.SendCPUs
		}
		ports = append(ports, port)
	}
	last := len(ports) - 1
	list = append(list, "hosts.generators="+strings.Join(ports[:last], ","), "hosts.sink="+ports[last])
	if p.UPF == nil {
		list = append(list, "n3.device="+p.Lead.N3, "n6.device="+p.Lead.N6)
	}
	return list
}

// SplitName splits NAMESPACE/NAME; the namespace may be "".
func SplitName(text string) (namespace, name string) {
	if namespace, name, found := strings.Cut(text, "/"); found {
		return namespace, name
	}
	return "", text
}
