// Contract for the service emitter; replaced by the generator.

/// Operations of an A2A agent.
pub trait A2aService: Send + Sync + 'static {
    /// SendMessage.
    fn send_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::SendMessageResponse>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("SendMessage")) }
    }
    /// SendStreamingMessage.
    fn send_streaming_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> impl Future<Output = Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("SendStreamingMessage")) }
    }
    /// GetTask.
    fn get_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("GetTask")) }
    }
    /// ListTasks.
    fn list_tasks(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTasksRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTasksResponse>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("ListTasks")) }
    }
    /// CancelTask.
    fn cancel_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::CancelTaskRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("CancelTask")) }
    }
    /// SubscribeToTask.
    fn subscribe_to_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SubscribeToTaskRequest) -> impl Future<Output = Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("SubscribeToTask")) }
    }
    /// CreateTaskPushNotificationConfig.
    fn create_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::TaskPushNotificationConfig) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("CreateTaskPushNotificationConfig")) }
    }
    /// GetTaskPushNotificationConfig.
    fn get_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskPushNotificationConfigRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("GetTaskPushNotificationConfig")) }
    }
    /// ListTaskPushNotificationConfigs.
    fn list_task_push_notification_configs(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTaskPushNotificationConfigsRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTaskPushNotificationConfigsResponse>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("ListTaskPushNotificationConfigs")) }
    }
    /// GetExtendedAgentCard.
    fn get_extended_agent_card(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetExtendedAgentCardRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::AgentCard>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("GetExtendedAgentCard")) }
    }
    /// DeleteTaskPushNotificationConfig.
    fn delete_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::DeleteTaskPushNotificationConfigRequest) -> impl Future<Output = Result<crate::__codegen::Shared<()>, crate::__codegen::Error>> + Send {
        let _ = (context, request);
        async { Err(crate::__codegen::Error::unimplemented("DeleteTaskPushNotificationConfig")) }
    }
}

#[doc(hidden)]
pub trait DynA2aService: Send + Sync + 'static {
    fn send_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::SendMessageResponse>, crate::__codegen::Error>>;
    fn send_streaming_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>>;
    fn get_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>>;
    fn list_tasks(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTasksRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTasksResponse>, crate::__codegen::Error>>;
    fn cancel_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::CancelTaskRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>>;
    fn subscribe_to_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SubscribeToTaskRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>>;
    fn create_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::TaskPushNotificationConfig) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>>;
    fn get_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskPushNotificationConfigRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>>;
    fn list_task_push_notification_configs(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTaskPushNotificationConfigsRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTaskPushNotificationConfigsResponse>, crate::__codegen::Error>>;
    fn get_extended_agent_card(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetExtendedAgentCardRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::AgentCard>, crate::__codegen::Error>>;
    fn delete_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::DeleteTaskPushNotificationConfigRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<()>, crate::__codegen::Error>>;
}

impl<S: A2aService> DynA2aService for S {
    fn send_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::SendMessageResponse>, crate::__codegen::Error>> {
        Box::pin(A2aService::send_message(self, context, request))
    }
    fn send_streaming_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>> {
        Box::pin(A2aService::send_streaming_message(self, context, request))
    }
    fn get_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>> {
        Box::pin(A2aService::get_task(self, context, request))
    }
    fn list_tasks(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTasksRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTasksResponse>, crate::__codegen::Error>> {
        Box::pin(A2aService::list_tasks(self, context, request))
    }
    fn cancel_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::CancelTaskRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>> {
        Box::pin(A2aService::cancel_task(self, context, request))
    }
    fn subscribe_to_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SubscribeToTaskRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>> {
        Box::pin(A2aService::subscribe_to_task(self, context, request))
    }
    fn create_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::TaskPushNotificationConfig) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>> {
        Box::pin(A2aService::create_task_push_notification_config(self, context, request))
    }
    fn get_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskPushNotificationConfigRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>> {
        Box::pin(A2aService::get_task_push_notification_config(self, context, request))
    }
    fn list_task_push_notification_configs(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTaskPushNotificationConfigsRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTaskPushNotificationConfigsResponse>, crate::__codegen::Error>> {
        Box::pin(A2aService::list_task_push_notification_configs(self, context, request))
    }
    fn get_extended_agent_card(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetExtendedAgentCardRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<::a2a_wire::v1_0::AgentCard>, crate::__codegen::Error>> {
        Box::pin(A2aService::get_extended_agent_card(self, context, request))
    }
    fn delete_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::DeleteTaskPushNotificationConfigRequest) -> crate::__codegen::BoxFuture<'_, Result<crate::__codegen::Shared<()>, crate::__codegen::Error>> {
        Box::pin(A2aService::delete_task_push_notification_config(self, context, request))
    }
}

/// Any [`A2aService`], its type forgotten; cheap to clone.
#[derive(Clone)]
pub struct BoxA2aService(std::sync::Arc<dyn DynA2aService>);

impl BoxA2aService {
    /// Forgets the type of a service.
    #[must_use]
    pub fn new(service: impl A2aService) -> Self {
        Self(std::sync::Arc::new(service))
    }
}

impl A2aService for BoxA2aService {
    fn send_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::SendMessageResponse>, crate::__codegen::Error>> + Send {
        self.0.send_message(context, request)
    }
    fn send_streaming_message(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SendMessageRequest) -> impl Future<Output = Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>> + Send {
        self.0.send_streaming_message(context, request)
    }
    fn get_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>> + Send {
        self.0.get_task(context, request)
    }
    fn list_tasks(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTasksRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTasksResponse>, crate::__codegen::Error>> + Send {
        self.0.list_tasks(context, request)
    }
    fn cancel_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::CancelTaskRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::Task>, crate::__codegen::Error>> + Send {
        self.0.cancel_task(context, request)
    }
    fn subscribe_to_task(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::SubscribeToTaskRequest) -> impl Future<Output = Result<crate::__codegen::EventStream<::a2a_wire::v1_0::StreamResponse>, crate::__codegen::Error>> + Send {
        self.0.subscribe_to_task(context, request)
    }
    fn create_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::TaskPushNotificationConfig) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>> + Send {
        self.0.create_task_push_notification_config(context, request)
    }
    fn get_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetTaskPushNotificationConfigRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::TaskPushNotificationConfig>, crate::__codegen::Error>> + Send {
        self.0.get_task_push_notification_config(context, request)
    }
    fn list_task_push_notification_configs(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::ListTaskPushNotificationConfigsRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::ListTaskPushNotificationConfigsResponse>, crate::__codegen::Error>> + Send {
        self.0.list_task_push_notification_configs(context, request)
    }
    fn get_extended_agent_card(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::GetExtendedAgentCardRequest) -> impl Future<Output = Result<crate::__codegen::Shared<::a2a_wire::v1_0::AgentCard>, crate::__codegen::Error>> + Send {
        self.0.get_extended_agent_card(context, request)
    }
    fn delete_task_push_notification_config(&self, context: crate::__codegen::CallContext, request: ::a2a_wire::v1_0::DeleteTaskPushNotificationConfigRequest) -> impl Future<Output = Result<crate::__codegen::Shared<()>, crate::__codegen::Error>> + Send {
        self.0.delete_task_push_notification_config(context, request)
    }
}

impl crate::__codegen::Dispatch for BoxA2aService {
    fn service(&self) -> &'static crate::__codegen::ServiceSpec {
        &A2A_SERVICE
    }

    fn call<'a>(&'a self, operation: usize, context: crate::__codegen::CallContext, input: crate::__codegen::Input<'a>) -> crate::__codegen::BoxFuture<'a, Result<crate::__codegen::Reply, crate::__codegen::Error>> {
        match operation {
            0 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::send_message(self, context, request))),
            1 => Box::pin(crate::__codegen::stream(input, move |request| A2aService::send_streaming_message(self, context, request))),
            2 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::get_task(self, context, request))),
            3 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::list_tasks(self, context, request))),
            4 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::cancel_task(self, context, request))),
            5 => Box::pin(crate::__codegen::stream(input, move |request| A2aService::subscribe_to_task(self, context, request))),
            6 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::create_task_push_notification_config(self, context, request))),
            7 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::get_task_push_notification_config(self, context, request))),
            8 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::list_task_push_notification_configs(self, context, request))),
            9 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::get_extended_agent_card(self, context, request))),
            10 => Box::pin(crate::__codegen::unary(input, move |request| A2aService::delete_task_push_notification_config(self, context, request))),
            _ => Box::pin(async { Err(crate::__codegen::Error::unimplemented("this operation")) }),
        }
    }
}

/// The tables of `A2AService`.
pub static A2A_SERVICE: crate::__codegen::ServiceSpec = crate::__codegen::ServiceSpec {
    name: "lf.a2a.v1.A2AService",
    operations: &[
        crate::__codegen::OperationSpec {
            name: "SendMessage",
            grpc_path: "/lf.a2a.v1.A2AService/SendMessage",
            json_rpc_method: Some("SendMessage"),
            server_streaming: false,
            capability: None,
            request: "lf.a2a.v1.SendMessageRequest",
            response: "lf.a2a.v1.SendMessageResponse",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::SendMessageRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::SendMessageResponse>,
        },
        crate::__codegen::OperationSpec {
            name: "SendStreamingMessage",
            grpc_path: "/lf.a2a.v1.A2AService/SendStreamingMessage",
            json_rpc_method: Some("SendStreamingMessage"),
            server_streaming: true,
            capability: Some("streaming"),
            request: "lf.a2a.v1.SendMessageRequest",
            response: "lf.a2a.v1.StreamResponse",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::SendMessageRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::StreamResponse>,
        },
        crate::__codegen::OperationSpec {
            name: "GetTask",
            grpc_path: "/lf.a2a.v1.A2AService/GetTask",
            json_rpc_method: Some("GetTask"),
            server_streaming: false,
            capability: None,
            request: "lf.a2a.v1.GetTaskRequest",
            response: "lf.a2a.v1.Task",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::GetTaskRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::Task>,
        },
        crate::__codegen::OperationSpec {
            name: "ListTasks",
            grpc_path: "/lf.a2a.v1.A2AService/ListTasks",
            json_rpc_method: Some("ListTasks"),
            server_streaming: false,
            capability: None,
            request: "lf.a2a.v1.ListTasksRequest",
            response: "lf.a2a.v1.ListTasksResponse",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::ListTasksRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::ListTasksResponse>,
        },
        crate::__codegen::OperationSpec {
            name: "CancelTask",
            grpc_path: "/lf.a2a.v1.A2AService/CancelTask",
            json_rpc_method: Some("CancelTask"),
            server_streaming: false,
            capability: None,
            request: "lf.a2a.v1.CancelTaskRequest",
            response: "lf.a2a.v1.Task",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::CancelTaskRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::Task>,
        },
        crate::__codegen::OperationSpec {
            name: "SubscribeToTask",
            grpc_path: "/lf.a2a.v1.A2AService/SubscribeToTask",
            json_rpc_method: Some("SubscribeToTask"),
            server_streaming: true,
            capability: Some("streaming"),
            request: "lf.a2a.v1.SubscribeToTaskRequest",
            response: "lf.a2a.v1.StreamResponse",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::SubscribeToTaskRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::StreamResponse>,
        },
        crate::__codegen::OperationSpec {
            name: "CreateTaskPushNotificationConfig",
            grpc_path: "/lf.a2a.v1.A2AService/CreateTaskPushNotificationConfig",
            json_rpc_method: Some("CreateTaskPushNotificationConfig"),
            server_streaming: false,
            capability: Some("push_notifications"),
            request: "lf.a2a.v1.TaskPushNotificationConfig",
            response: "lf.a2a.v1.TaskPushNotificationConfig",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::TaskPushNotificationConfig>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::TaskPushNotificationConfig>,
        },
        crate::__codegen::OperationSpec {
            name: "GetTaskPushNotificationConfig",
            grpc_path: "/lf.a2a.v1.A2AService/GetTaskPushNotificationConfig",
            json_rpc_method: Some("GetTaskPushNotificationConfig"),
            server_streaming: false,
            capability: Some("push_notifications"),
            request: "lf.a2a.v1.GetTaskPushNotificationConfigRequest",
            response: "lf.a2a.v1.TaskPushNotificationConfig",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::GetTaskPushNotificationConfigRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::TaskPushNotificationConfig>,
        },
        crate::__codegen::OperationSpec {
            name: "ListTaskPushNotificationConfigs",
            grpc_path: "/lf.a2a.v1.A2AService/ListTaskPushNotificationConfigs",
            json_rpc_method: Some("ListTaskPushNotificationConfigs"),
            server_streaming: false,
            capability: Some("push_notifications"),
            request: "lf.a2a.v1.ListTaskPushNotificationConfigsRequest",
            response: "lf.a2a.v1.ListTaskPushNotificationConfigsResponse",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::ListTaskPushNotificationConfigsRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::ListTaskPushNotificationConfigsResponse>,
        },
        crate::__codegen::OperationSpec {
            name: "GetExtendedAgentCard",
            grpc_path: "/lf.a2a.v1.A2AService/GetExtendedAgentCard",
            json_rpc_method: Some("GetExtendedAgentCard"),
            server_streaming: false,
            capability: Some("extended_agent_card"),
            request: "lf.a2a.v1.GetExtendedAgentCardRequest",
            response: "lf.a2a.v1.AgentCard",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::GetExtendedAgentCardRequest>,
            decode_response: crate::__codegen::decode::<::a2a_wire::v1_0::AgentCard>,
        },
        crate::__codegen::OperationSpec {
            name: "DeleteTaskPushNotificationConfig",
            grpc_path: "/lf.a2a.v1.A2AService/DeleteTaskPushNotificationConfig",
            json_rpc_method: Some("DeleteTaskPushNotificationConfig"),
            server_streaming: false,
            capability: Some("push_notifications"),
            request: "lf.a2a.v1.DeleteTaskPushNotificationConfigRequest",
            response: "google.protobuf.Empty",
            decode_request: crate::__codegen::decode::<::a2a_wire::v1_0::DeleteTaskPushNotificationConfigRequest>,
            decode_response: crate::__codegen::decode::<()>,
        },
    ],
    routes: &[],
    version: Some(crate::__codegen::ProtocolVersion { major: 1, minor: 0 }),
    media_type: "application/a2a+json",
    conflicts: crate::__codegen::Rule::Agree,
    errors: &[],
};
