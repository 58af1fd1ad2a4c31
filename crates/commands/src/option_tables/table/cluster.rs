//! Kubernetes. Without `--kubeconfig`, `--context`, `--server`, `--as` and `--token`, which choose
//! another cluster or identity, without secrets, and without `exec`, `cp`, `run`, `proxy` and
//! `port-forward`. `helm get` would show the values and manifests of secrets.

use super::prelude::*;

const fn kubectl(name: &'static str) -> OptionTable {
    reader_of_words(name, "Aw", "nloL")
        .separate()
        .long(
            "all-namespaces show-labels no-headers watch show-kind show-managed-fields \
               show-events ignore-not-found recursive sort-cpu containers",
        )
        .long_valued(
            "namespace selector output field-selector sort-by label-columns chunk-size \
                      timeout revision api-group api-version since",
        )
        .values(AllowedValues::NoFileReferences)
        .operands(ClusterResources)
        .contacts(Contacts::Configured)
}

/// Without a resource behind it, nothing says which kind it changes.
const fn change(name: &'static str) -> OptionTable {
    changer(name, "R", "nlofk")
        .separate()
        .long("all recursive wait overwrite record server-side ignore-not-found dry-run")
        .long_valued(
            "namespace selector output filename kustomize dry-run timeout replicas \
                      grace-period current-replicas image",
        )
        .path_values("f filename k kustomize")
        .values(AllowedValues::NoFileReferences)
        .operands(ClusterResources)
        .contacts(Contacts::Configured)
        .no_head()
}

const fn helm(name: &'static str) -> OptionTable {
    reader_of_words(name, "Aaqdlr", "nof")
        .separate()
        .long("all all-namespaces deployed failed pending short date reverse strict quiet versions")
        .long_valued("namespace output filter max revision version values")
        .path_values("f values")
        .contacts(Contacts::Configured)
}

const fn helm_change(name: &'static str) -> OptionTable {
    changer(name, "i", "nof")
        .separate()
        .long("install wait atomic dry-run create-namespace reuse-values cleanup-on-fail")
        .long_valued("namespace output version values set set-string timeout history-max")
        .path_values("f values")
        .paths(PathOperands::AfterFirst)
        .contacts(Contacts::Configured)
        .no_head()
}

pub(super) const CLUSTER: &[OptionTable] = &[
    kubectl("kubectl get"),
    kubectl("kubectl describe"),
    // Other resources are named too: what they hold matters less.
    kubectl("kubectl get secrets").operands(Any).no_head(),
    kubectl("kubectl describe secrets").operands(Any).no_head(),
    kubectl("kubectl top"),
    kubectl("kubectl explain"),
    kubectl("kubectl api-resources"),
    kubectl("kubectl version"),
    kubectl("kubectl cluster-info").operands(None),
    kubectl("kubectl events"),
    kubectl("kubectl rollout status"),
    kubectl("kubectl rollout history"),
    kubectl("kubectl auth can-i"),
    kubectl("kubectl config current-context").operands(None),
    kubectl("kubectl config get-contexts"),
    reader_of_words("kubectl logs", "fp", "nlc")
        .long("follow previous timestamps all-containers prefix")
        .long_valued("namespace selector container tail since since-time limit-bytes")
        .operands(ClusterResources)
        .contacts(Contacts::Configured),
    change("kubectl apply"),
    change("kubectl create"),
    change("kubectl delete"),
    change("kubectl scale"),
    change("kubectl label"),
    change("kubectl annotate"),
    change("kubectl rollout restart"),
    change("kubectl rollout undo"),
    change("kubectl set image"),
    helm("helm list"),
    helm("helm ls"),
    reader_of_words("helm status", "", "n").long_valued("namespace").contacts(Contacts::Configured),
    helm("helm history"),
    helm("helm search repo"),
    helm("helm version"),
    helm("helm lint").paths(PathOperands::All),
    helm("helm template").paths(PathOperands::AfterFirst),
    helm_change("helm install"),
    helm_change("helm upgrade"),
    helm_change("helm uninstall"),
    helm_change("helm rollback"),
    helm_change("helm repo update"),
];
