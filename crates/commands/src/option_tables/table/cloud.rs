//! The command lines of cloud providers: reading commands one by one, because a verb like `get` also
//! shows secrets, tokens and passwords, and the list of a service its environment. Without `--profile`, `--endpoint-url`, `--query` from files
//! and `--cli-input-json`.

use super::prelude::*;

const fn aws(name: &'static str) -> OptionTable {
    reader_of_words(name, "", "")
        .long("no-cli-pager no-paginate recursive human-readable summarize")
        .long_valued(
            "region output query max-items page-size instance-ids filters stack-name cluster \
             services tasks service-name function-name log-group-name log-group-name-prefix \
             log-stream-name-prefix start-time end-time filter-pattern limit order-by \
             db-instance-identifier name names repository-name bucket prefix max-keys \
             role-name queue-url table-name since",
        )
        .values(AllowedValues::NoUploads)
        .operands(CloudNames)
        .contacts(Contacts::Configured)
}

const fn gcloud(name: &'static str) -> OptionTable {
    reader_of_words(name, "q", "")
        .long("quiet uri")
        .long_valued(
            "project region zone format filter limit page-size sort-by location freshness order",
        )
        .values(AllowedValues::NoUploads)
        .contacts(Contacts::Configured)
}

const fn azure(name: &'static str) -> OptionTable {
    reader_of_words(name, "", "ogn")
        .long_valued("output resource-group name query subscription")
        .values(AllowedValues::NoUploads)
        .contacts(Contacts::Configured)
}

pub(super) const CLOUD: &[OptionTable] = &[
    aws("aws sts get-caller-identity").operands(None),
    aws("aws s3 ls"),
    aws("aws s3api list-buckets"),
    aws("aws s3api list-objects-v2"),
    aws("aws ec2 describe-instances"),
    aws("aws ec2 describe-vpcs"),
    aws("aws ec2 describe-subnets"),
    aws("aws ec2 describe-security-groups"),
    aws("aws ec2 describe-images"),
    aws("aws ec2 describe-volumes"),
    aws("aws ecs list-clusters"),
    aws("aws ecs list-services"),
    aws("aws ecs list-tasks"),
    aws("aws ecs describe-services"),
    aws("aws ecs describe-tasks"),
    aws("aws ecs describe-clusters"),
    aws("aws ecr describe-repositories"),
    aws("aws ecr list-images"),
    aws("aws eks list-clusters"),
    aws("aws eks describe-cluster"),
    aws("aws logs describe-log-groups"),
    aws("aws logs describe-log-streams"),
    aws("aws logs filter-log-events"),
    aws("aws logs tail"),
    aws("aws cloudformation list-stacks"),
    aws("aws cloudformation describe-stacks"),
    aws("aws cloudformation describe-stack-events"),
    aws("aws rds describe-db-instances"),
    aws("aws dynamodb list-tables"),
    aws("aws dynamodb describe-table"),
    aws("aws sqs list-queues"),
    aws("aws sns list-topics"),
    aws("aws iam list-roles"),
    aws("aws iam list-users"),
    aws("aws iam get-role"),
    aws("aws cloudwatch list-metrics"),
    aws("aws cloudwatch describe-alarms"),
    aws("aws route53 list-hosted-zones"),
    aws("aws configure list").operands(None),
    gcloud("gcloud config list"),
    gcloud("gcloud projects list"),
    gcloud("gcloud projects describe"),
    gcloud("gcloud compute instances list"),
    gcloud("gcloud compute instances describe"),
    gcloud("gcloud compute zones list"),
    gcloud("gcloud container clusters list"),
    gcloud("gcloud container clusters describe"),
    gcloud("gcloud builds list"),
    gcloud("gcloud builds describe"),
    gcloud("gcloud builds log"),
    gcloud("gcloud logging read"),
    gcloud("gcloud services list"),
    gcloud("gcloud sql instances list"),
    gcloud("gcloud sql instances describe"),
    gcloud("gcloud functions list"),
    gcloud("gcloud auth list"),
    azure("az account show"),
    azure("az account list"),
    azure("az group list"),
    azure("az group show"),
    azure("az vm list"),
    azure("az vm show"),
    azure("az aks list"),
    azure("az aks show"),
    azure("az webapp list"),
    azure("az acr list"),
    azure("az resource list"),
];
