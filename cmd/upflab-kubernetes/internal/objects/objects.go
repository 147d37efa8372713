// Package objects makes the Kubernetes objects of a run. All functions are pure.
package objects

import (
	"encoding/json"
	"fmt"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/upflab/upflab/cmd/upflab-kubernetes/internal/plan"
	"github.com/upflab/upflab/internal/cli/runflags"
)

// The labels of all that a run makes.
const (
	ManagedBy = "app.kubernetes.io/managed-by"
	Manager   = "upflab-kubernetes"
	RunLabel  = "upflab/run"
	RoleLabel = "upflab/role"
)

// Where a pod has what it needs.
const (
	KeysPath  = "/var/lib/upflab/keys" // a Secret
	HubPath   = "/var/lib/upflab/hub"  // the hub's messages
	OutPath   = "/var/lib/upflab/out"  // the result
	WorkPath  = "/var/lib/upflab/work" // of agents
	Container = "upflab"               // its name
	Result    = OutPath + "/result"
)

// HubPort is where the hub listens. With the host's network it is a port of the node.
const HubPort = 14222

// unprivileged is the user of the hub, which needs no right at all.
const unprivileged int64 = 65532

// Maker makes the objects of one run.
type Maker struct {
	Plan  *plan.Plan
	Run   string
	Owner *metav1.OwnerReference // nil: none
}

// Name of an object of the run.
func (m Maker) Name(role string) string { return "upflab-" + m.Run + "-" + role }

// Labels of an object; role "": of all roles.
func (m Maker) Labels(role string) map[string]string {
	list := map[string]string{"app.kubernetes.io/name": "upflab", ManagedBy: Manager, RunLabel: m.Run}
	if role != "" {
		list[RoleLabel] = role
	}
	return list
}

func (m Maker) meta(name, role string) metav1.ObjectMeta {
	o := metav1.ObjectMeta{Name: name, Namespace: m.Plan.Namespace, Labels: m.Labels(role)}
	if m.Owner != nil {
		o.OwnerReferences = []metav1.OwnerReference{*m.Owner}
	}
	return o
}

// Lease is what owns everything else. The run renews it; when it is not renewed any more
// the run is gone.
func (m Maker) Lease(holder string, every time.Duration) *coordinationv1.Lease {
	seconds := int32(every.Seconds())
	now := metav1.NowMicro()
	return &coordinationv1.Lease{ObjectMeta: m.meta("upflab-"+m.Run, ""),
		Spec: coordinationv1.LeaseSpec{HolderIdentity: &holder, LeaseDurationSeconds: &seconds, AcquireTime: &now, RenewTime: &now}}
}

// Secret has files for a role.
func (m Maker) Secret(role string, files map[string][]byte) *corev1.Secret {
	yes := true
	return &corev1.Secret{ObjectMeta: m.meta(m.Name(role), role), Data: files, Immutable: &yes}
}

// HubJob runs the hub.
func (m Maker) HubJob() *batchv1.Job {
	id, no, yes := unprivileged, false, true
	pod := m.pod(m.Plan.Hub, []string{"pod", "--", "hub", "run", "--dir", HubPath, "--keys", KeysPath,
		"--listen", fmt.Sprintf(":%d", HubPort), "--max-store", "64"})
	pod.SecurityContext = &corev1.PodSecurityContext{RunAsUser: &id, RunAsGroup: &id, FSGroup: &id, RunAsNonRoot: &yes,
		SeccompProfile: &corev1.SeccompProfile{Type: corev1.SeccompProfileTypeRuntimeDefault}}
	c := &pod.Containers[0]
	c.SecurityContext = &corev1.SecurityContext{AllowPrivilegeEscalation: &no, ReadOnlyRootFilesystem: &yes,
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}}}
	c.Ports = []corev1.ContainerPort{{Name: "hub", ContainerPort: HubPort}}
	addFolder(&pod, "hub", HubPath)
	addSecret(&pod, m.Name("hub"), nil)
	return m.job("hub", m.Plan.Hub, pod)
}

// HostJob runs the agent of a pod that sends or receives, the i-th of the plan.
func (m Maker) HostJob(i int) *batchv1.Job {
	name, h := m.Plan.HostName(i), m.Plan.Hosts()[i]
	pod := m.pod(h.Pod, []string{"pod", "--", "agent", "--pass", KeysPath + "/" + passFile(name), "--dir", WorkPath,
		"--min-free", "0", "--allow", "device"})
	pod.Containers[0].SecurityContext = m.security(h.Pod, false)
	addFolder(&pod, "work", WorkPath)
	addSecret(&pod, m.Name("passes"), []string{passFile(name)})
	return m.job(name, h.Pod, pod)
}

// LeadJob runs the measurement: upflab run with these arguments. devices are the settings
// that are the address of a device in the pod, as KEY=DEVICE.
func (m Maker) LeadJob(arguments, devices []string, scenario bool) *batchv1.Job {
	command := []string{"pod", "--hand-over", Result}
	for _, d := range devices {
		command = append(command, "--address", d)
	}
	command = append(command, "--", "run")
	command = append(command, arguments...)
	command = append(command, "--out", Result)
	var keys []string
	if m.Plan.Apart() {
		keys = append(keys, passFile("lead"))
		command = append(command, "--pass", KeysPath+"/"+passFile("lead"))
	}
	if scenario {
		keys = append(keys, ScenarioFile)
	}
	pod := m.pod(m.Plan.Lead.Pod, command)
	pod.Containers[0].SecurityContext = m.security(m.Plan.Lead.Pod, m.StartsUPF(arguments))
	addFolder(&pod, "out", OutPath)
	if len(keys) > 0 {
		addSecret(&pod, m.Name("passes"), keys)
	}
	return m.job("lead", m.Plan.Lead.Pod, pod)
}

// ScenarioFile is the scenario in a Secret, PassFile a pass.
const ScenarioFile = "scenario.yaml"

func passFile(name string) string { return name + ".pass" }

// PassFile is a pass in a Secret.
func PassFile(name string) string { return passFile(name) }

// StartsUPF reports whether the lead starts a UPF, for which it makes network namespaces. Arguments that
// `upflab run` refuses start none.
func (m Maker) StartsUPF(arguments []string) bool {
	f, _, err := runflags.Parse(arguments)
	return m.Plan.UPF == nil && err == nil && f.StartsUPF()
}

// capabilities are what pods need that send and receive by XDP: network devices, BPF
// programs, their run times, memory of maps, and places in the scheduler.
var capabilities = []corev1.Capability{"NET_ADMIN", "NET_RAW", "BPF", "PERFMON", "SYS_NICE", "IPC_LOCK"}

// security is what a pod that measures may do.
func (m Maker) security(p plan.Pod, namespaces bool) *corev1.SecurityContext {
	privileged := namespaces
	if p.Privileged != nil {
		privileged = *p.Privileged
	}
	root := int64(0)
	if privileged {
		return &corev1.SecurityContext{Privileged: &privileged, RunAsUser: &root}
	}
	no := false
	return &corev1.SecurityContext{RunAsUser: &root, AllowPrivilegeEscalation: &no,
		Capabilities: &corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: capabilities}}
}

// pod runs upflab with arguments.
func (m Maker) pod(p plan.Pod, arguments []string) corev1.PodSpec {
	no, grace := false, int64(30)
	spec := corev1.PodSpec{
		RestartPolicy: corev1.RestartPolicyNever, AutomountServiceAccountToken: &no, EnableServiceLinks: &no,
		TerminationGracePeriodSeconds: &grace,
		HostNetwork:                   p.HostNetwork, NodeSelector: p.NodeSelector, Tolerations: p.Tolerations,
		Containers: []corev1.Container{{Name: Container, Image: m.Plan.Image, ImagePullPolicy: m.Plan.PullPolicy, Args: arguments,
			Env:                      []corev1.EnvVar{fieldVariable("POD_IP", "status.podIP"), fieldVariable("NODE_NAME", "spec.nodeName")},
			Resources:                resources(p),
			TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError}},
	}
	if p.Node != "" {
		spec.NodeSelector = map[string]string{corev1.LabelHostname: p.Node}
		for name, value := range p.NodeSelector {
			spec.NodeSelector[name] = value
		}
	}
	for _, s := range m.Plan.PullSecrets {
		spec.ImagePullSecrets = append(spec.ImagePullSecrets, corev1.LocalObjectReference{Name: s})
	}
	addHugepages(&spec, p)
	return spec
}

func fieldVariable(name, path string) corev1.EnvVar {
	return corev1.EnvVar{Name: name, ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: path}}}
}

// resources are requests and limits alike: class Guaranteed.
func resources(p plan.Pod) corev1.ResourceRequirements {
	list := p.Quantities()
	if len(list) == 0 {
		return corev1.ResourceRequirements{}
	}
	return corev1.ResourceRequirements{Requests: list, Limits: list}
}

// job runs a pod once: what failed is not to be repeated unseen.
func (m Maker) job(role string, p plan.Pod, spec corev1.PodSpec) *batchv1.Job {
	once, limit, keep := int32(0), int64(m.Plan.Limit.Seconds()), int32(600)
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: m.Labels(role)}, Spec: spec}
	if len(p.Networks) > 0 {
		template.Annotations = map[string]string{NetworksAnnotation: networks(p.Networks)}
	}
	return &batchv1.Job{ObjectMeta: m.meta(m.Name(role), role),
		Spec: batchv1.JobSpec{BackoffLimit: &once, ActiveDeadlineSeconds: &limit, TTLSecondsAfterFinished: &keep, Template: template}}
}

// NetworksAnnotation is where Multus reads the networks of a pod.
const NetworksAnnotation = "k8s.v1.cni.cncf.io/networks"

// selection is a network as Multus wants it.
type selection struct {
	Name      string   `json:"name"`
	Namespace string   `json:"namespace,omitempty"`
	Interface string   `json:"interface,omitempty"`
	IPs       []string `json:"ips,omitempty"`
	MAC       string   `json:"mac,omitempty"`
}

func networks(list []plan.Network) string {
	var all []selection
	for _, n := range list {
		s := selection{Interface: n.Device, IPs: n.IPs, MAC: n.MAC}
		s.Namespace, s.Name = plan.SplitName(n.Name)
		all = append(all, s)
	}
	b, _ := json.Marshal(all) // strings can be written
	return string(b)
}
