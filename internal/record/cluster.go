package record

import "slices"

// Cluster is a Kubernetes cluster in whose pods a run was made, as far as its API and the
// pods show it.
type Cluster struct {
	Version   string `json:"version"` // of the API server
	Namespace string `json:"namespace"`
	// Made is what made the pods: "Job" or "JobSet".
	Made string `json:"made_by"`
	Pods []Pod  `json:"pods"`
	// Nodes are those of the pods. Unread is why there are none.
	Nodes  []Node `json:"nodes,omitempty"`
	Unread string `json:"nodes_unread,omitempty"`
	// Networks are the additional networks of the pods (Multus).
	Networks []PodNetwork `json:"networks,omitempty"`
}

// The roles of pods.
const (
	RoleHub       = "hub"
	RoleLead      = "lead" // runs the measurement, and the UPF where it starts it
	RoleGenerator = "generator"
	RoleSink      = "sink"
	RoleUPF       = "upf" // found in the cluster
)

// Pod describes a pod that the run started, or the pod of the UPF.
type Pod struct {
	Role        string `json:"role"`
	Name        string `json:"name"`
	Namespace   string `json:"namespace"`
	Node        string `json:"node"`
	IP          string `json:"ip,omitempty"`
	HostNetwork bool   `json:"host_network,omitempty"`
	Image       string `json:"image"`
	ImageID     string `json:"image_id,omitempty"`
	// QoS is its class, "Guaranteed", "Burstable" or "BestEffort". Only a Guaranteed pod of
	// whole CPUs gets CPUs of its own, where the node's CPU manager gives any.
	QoS        string            `json:"qos"`
	Requests   map[string]string `json:"requests,omitempty"` // quantities, as Kubernetes writes them
	Limits     map[string]string `json:"limits,omitempty"`
	Interfaces []PodInterface    `json:"interfaces,omitempty"` // as the CNI plugins report them
	// Inside is what the pod itself saw; nil for a UPF, into which nothing looks.
	Inside *PodInside `json:"inside,omitempty"`
	// StartSeconds is from its creation until it ran, s.
	StartSeconds float64 `json:"start_seconds,omitempty"`
}

// PodInterface is a network interface of a pod.
type PodInterface struct {
	Name      string   `json:"name"`
	Network   string   `json:"network"`
	MAC       string   `json:"mac,omitempty"`
	Addresses []string `json:"addresses,omitempty"`
	Device    string   `json:"pci_address,omitempty"` // of an SR-IOV function
}

// PodInside is what a pod sees of its node.
type PodInside struct {
	CPUs      []int   `json:"cpus"`                 // that it may use
	NodeCPUs  int     `json:"node_cpus"`            // online
	CPULimit  float64 `json:"cpu_limit,omitempty"`  // CPUs; 0: none
	Memory    uint64  `json:"memory,omitempty"`     // limit, bytes; 0: none
	NUMANodes []int   `json:"numa_nodes,omitempty"` // of its CPUs
	// Devices are the NUMA nodes of its network devices, by name; those that are no
	// hardware have none.
	Devices   map[string]int    `json:"device_numa,omitempty"`
	Drivers   map[string]string `json:"device_drivers,omitempty"`
	Hugepages map[string]uint64 `json:"hugepages,omitempty"` // of the node: size and how many
	// Throttled is how long its CPU limit kept it from running in all, s.
	Throttled float64 `json:"throttled_s,omitempty"`
}

// Pinned reports whether the pod has CPUs of its own, which no other pod may use.
func (p *Pod) Pinned() bool {
	return p.Inside != nil && p.QoS == "Guaranteed" && len(p.Inside.CPUs) < p.Inside.NodeCPUs
}

// Node is a node of the cluster.
type Node struct {
	Name        string            `json:"name"`
	Kernel      string            `json:"kernel"`
	OS          string            `json:"os"`
	Runtime     string            `json:"container_runtime"`
	Kubelet     string            `json:"kubelet"`
	Allocatable map[string]string `json:"allocatable"`
	Capacity    map[string]string `json:"capacity"`
	// Labels are those that say something of its hardware.
	Labels map[string]string `json:"labels,omitempty"`
}

// PodNetwork is a network that Multus gives pods.
type PodNetwork struct {
	Name string `json:"name"` // NAMESPACE/NAME
	// Type is the CNI plugin: "sriov", "macvlan", "bridge" ...; "": it could not be read, for
	// the reason Unread.
	Type   string `json:"type,omitempty"`
	Config string `json:"config,omitempty"`
	Unread string `json:"unread,omitempty"`
}

// LimitedCPU are the pods with a role whose CPU time is limited.
func (c *Cluster) LimitedCPU(role string) (list []Pod) {
	for _, p := range c.Pods {
		if _, limited := p.Limits["cpu"]; limited && p.Role == role && !p.Pinned() {
			list = append(list, p)
		}
	}
	return slices.Clip(list)
}
