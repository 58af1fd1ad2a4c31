//! What a form of a page sends.

use crate::error::ApiError;
use crate::extract::read_form;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;

/// The fields of a form, in order. A field that occurs twice counts as wrong.
pub(super) struct PageForm(Vec<(String, String)>);

impl PageForm {
    pub async fn read(request: Request) -> Result<Self, ApiError> {
        let kind = request.headers().get(CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
        let kind = kind.and_then(|kind| kind.split(';').next()).unwrap_or_default();
        if !kind.trim().eq_ignore_ascii_case("application/x-www-form-urlencoded") {
            return Err(ApiError::invalid("this is not a form of the dashboard", "use its pages"));
        }
        read_form(request).await.map(Self)
    }

    #[cfg(test)]
    pub fn from_fields(fields: &[(&str, &str)]) -> Self {
        let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        Self(fields.iter().map(own).collect())
    }

    /// Empty if the field is not there.
    pub fn get(&self, name: &str) -> Result<&str, ApiError> {
        let mut values = self.0.iter().filter(|(key, _)| key == name);
        match (values.next(), values.next()) {
            (Some((_, value)), None) => Ok(value),
            (None, _) => Ok(""),
            (Some(_), Some(_)) => {
                let message = format!("the form sends `{name}` twice");
                Err(ApiError::invalid(message, "send the page's own form"))
            }
        }
    }

    pub fn optional(&self, name: &str) -> Result<Option<&str>, ApiError> {
        Ok(Some(self.get(name)?).filter(|value| !value.is_empty()))
    }

    /// A field that a type reads.
    pub fn parse<T: TryFrom<String>>(&self, name: &str) -> Result<T, ApiError>
    where
        T::Error: std::fmt::Display,
    {
        let value = self.get(name)?.to_owned();
        T::try_from(value).map_err(|error| {
            ApiError::invalid(format!("`{name}`: {error}"), "go back and correct it")
        })
    }
}
